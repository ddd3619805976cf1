"""What a tensor is for: activations, parameters, and what training holds for every parameter from step to step."""

from enum import Enum


class Role(Enum):
    """What a tensor is for, so that a claim can name the rows that it leaves out or adds."""

    ACTIVATION = "activations"
    STATISTICS = "statistics"
    DROPOUT_MASK = "dropout masks"
    INDEX = "token and position ids"
    CONSTANT = "constants"
    RANDOM_STATE = "random state"
    DIAGONAL = "half of the causal diagonal"
    WEIGHT = "matmul weights"
    ADAPTER = "adapters"
    STATE_SPACE = "state-space parameters"
    SINKS = "attention sinks"
    BIAS = "biases"
    GAIN = "norm weights"
    TABLE = "token table"
    POSITIONS = "position table"
    MODEL_WEIGHTS = "weights that the model computes with"
    GRADIENTS = "gradients"
    MASTER = "master weights"
    OPTIMIZER = "the optimizer's own tensors"
    SCALES = "scales of the optimizer's quantized tensors"


# Roles of what training changes: leaves of these roles are parameters and never activations.
PARAMETERS = frozenset(
    {Role.WEIGHT, Role.ADAPTER, Role.BIAS, Role.GAIN, Role.TABLE, Role.POSITIONS, Role.STATE_SPACE, Role.SINKS}
)

# Roles of what training holds for every parameter from step to step.
PERSISTENT = frozenset({Role.MODEL_WEIGHTS, Role.GRADIENTS, Role.MASTER, Role.OPTIMIZER, Role.SCALES})
