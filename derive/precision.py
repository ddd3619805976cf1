"""Number formats by width, and recipes: which format each kind of tensor of a training step is held in."""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from derive.errors import unknown
from derive.roles import Role


@dataclass(frozen=True, slots=True)
class DType:
    """A storage format: its name and its width in bits, a blocked format's share of its scales included."""

    name: str
    bits: int | Fraction

    @property
    def bytes(self) -> Fraction:
        """Bytes an element, exact: half a byte for a 4-bit format."""
        return Fraction(self.bits) / 8


class Slot(Enum):
    """A format that the recipe of the plan decides, not the author of a layer."""

    COMPUTE = "compute"
    STATISTICS = "statistics"


fp64 = DType("fp64", 64)
fp32 = DType("fp32", 32)
bf16 = DType("bf16", 16)
fp16 = DType("fp16", 16)
int64 = DType("int64", 64)
uint64 = DType("uint64", 64)
boolean = DType("bool", 8)  # PyTorch stores a truth value in a whole byte
compute = Slot.COMPUTE
statistics_width = Slot.STATISTICS

# What `--dtype` accepts: the formats that activations and weights are computed in.
COMPUTE_DTYPES = {
    dtype.name: dtype
    for dtype in (
        fp64, fp32, DType("tf32", 32), bf16, fp16, DType("e4m3", 8), DType("e5m2", 8), DType("e2m1", 4),
        DType("nvfp4", Fraction(9, 2)),  # e2m1, and an 8-bit scale for 16 of them
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Persistent:
    """A tensor that training holds for every parameter from step to step, and the ZeRO stage that shards it."""

    name: str
    dtype: DType
    stage: int
    role: Role


@dataclass(frozen=True, slots=True)
class Recipe:
    """The formats of one training step: what products are computed in, what statistics are held in, what persists.

    Source of the default: torch's CUDA layer norm keeps mean and 1/std in fp32 for bf16 inputs; its CPU kernel in bf16.
    The optimizer adds its own tensors to `persistent`.
    """

    name: str
    compute: DType
    statistics: DType
    about: str
    persistent: tuple[Persistent, ...]

    def dtype(self, dtype: DType | Slot) -> DType:
        """The format behind `dtype`, which an author may have left to the recipe."""
        return dtype if isinstance(dtype, DType) else {compute: self.compute, statistics_width: self.statistics}[dtype]


def _held(weights: DType, gradients: DType, *more: Persistent) -> tuple[Persistent, ...]:
    return (
        Persistent("weights", weights, 3, Role.MODEL_WEIGHTS),
        Persistent("gradients", gradients, 2, Role.GRADIENTS),
        *more,
    )


_MASTER = Persistent("master weights", fp32, 1, Role.MASTER)
# Megatron-LM's optimizer steps on an fp32 copy of fp16 gradients, which its distributed optimizer shards with the
# master weights (docs/user-guide/features/dist_optimizer.md: 20 bytes, 4 + 16/d).
_MAIN_GRADIENTS = Persistent("main gradients", fp32, 1, Role.GRADIENTS)

RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "bf16",
            bf16,
            fp32,
            "bf16 weights and gradients, fp32 master weights; fp32 statistics (torch on CUDA)",
            _held(bf16, bf16, _MASTER),
        ),
        Recipe(
            "bf16-cpu",
            bf16,
            bf16,
            "the same with statistics in bf16 (torch on CPU)",
            _held(bf16, bf16, _MASTER),
        ),
        Recipe(
            "bf16-fp32-grads",
            bf16,
            fp32,
            "bf16 weights, gradients added up in fp32, fp32 master weights (Megatron-LM)",
            _held(bf16, fp32, _MASTER),
        ),
        Recipe("bf16-no-master", bf16, fp32, "bf16 weights and gradients, no master weights", _held(bf16, bf16)),
        Recipe("fp16", fp16, fp32, "fp16 weights and gradients, fp32 master weights", _held(fp16, fp16, _MASTER)),
        Recipe(
            "fp16-megatron",
            fp16,
            fp32,
            "fp16 weights and gradients, fp32 main gradients and master weights (Megatron-LM)",
            _held(fp16, fp16, _MAIN_GRADIENTS, _MASTER),
        ),
        Recipe("fp32", fp32, fp32, "everything in fp32; the weights are the master", _held(fp32, fp32)),
        Recipe(
            "torchtitan",
            bf16,
            fp32,
            "fp32 weights, which are the master, and fp32 gradients; a layer's bf16 copy is transient (torchtitan)",
            _held(fp32, fp32),
        ),
        Recipe(
            "deepspeed",
            bf16,
            fp32,
            "bf16 weights and gradients, fp32 master weights (DeepSpeed, as the ZeRO paper counts)",
            _held(bf16, bf16, _MASTER),
        ),
    )
}


class Factoring(Enum):
    """Of what an optimizer holds a tensor: of every parameter, or less, or only of some parameters."""

    ALL = "every parameter"
    MATRICES = "weights of the layers' products"  # Muon orthogonalises these; the rest goes to AdamW
    OTHERS = "every other parameter"
    FACTORS = "a row and a column of each matrix, and every parameter of a vector"


@dataclass(frozen=True, slots=True)
class OptimizerState:
    """One tensor that an optimizer holds from step to step; `every` parameters share one element of it.

    ZeRO shards what an optimizer holds from stage 1 on.
    """

    name: str
    dtype: DType
    of: Factoring = Factoring.ALL
    every: int = 1
    role: Role = Role.OPTIMIZER


@dataclass(frozen=True, slots=True)
class Optimizer:
    """An optimizer by what it holds from step to step."""

    name: str
    about: str
    states: tuple[OptimizerState, ...]


_FIRST, _SECOND = OptimizerState("first moment", fp32), OptimizerState("second moment", fp32)
_SQUARES = OptimizerState("sum of squared gradients", fp32)
# bitsandbytes (optim/optimizer.py, Optimizer2State.init_state) quantizes a moment in blocks of 256, each with an fp32
# scale; the last block of a tensor may be shorter, and tensors of less than 4096 elements stay in fp32.
_BLOCK = 256
_UINT8 = DType("uint8", 8)
_SCALES = OptimizerState("scales of the first moment", fp32, every=_BLOCK, role=Role.SCALES)

OPTIMIZERS = {
    optimizer.name: optimizer
    for optimizer in (
        Optimizer("adamw", "two fp32 moments, as Adam", (_FIRST, _SECOND)),
        Optimizer("sgd", "nothing", ()),
        Optimizer("momentum", "SGD with an fp32 momentum", (OptimizerState("momentum", fp32),)),
        Optimizer("adagrad", "an fp32 sum of squared gradients", (_SQUARES,)),
        Optimizer("rmsprop", "an fp32 mean of squared gradients", (replace(_SQUARES, name="mean square"),)),
        Optimizer(
            "adafactor",
            "row and column sums of each matrix's second moment, no first moment",
            (OptimizerState("factored second moment", fp32, Factoring.FACTORS),),
        ),
        Optimizer(
            "adam-8bit",
            "two 8-bit moments, in blocks of 256 with an fp32 scale each (bitsandbytes)",
            (
                replace(_FIRST, dtype=_UINT8),
                replace(_SECOND, dtype=_UINT8),
                _SCALES,
                replace(_SCALES, name="scales of the second moment"),
            ),
        ),
        Optimizer(
            "muon",
            "an fp32 momentum of the layers' matrices, AdamW's moments of the rest",
            (
                OptimizerState("momentum", fp32, Factoring.MATRICES),
                replace(_FIRST, of=Factoring.OTHERS),
                replace(_SECOND, of=Factoring.OTHERS),
            ),
        ),
    )
}


def optimizer(name: str = "adamw") -> Optimizer:
    """The optimizer of that name; an unknown one raises `UnknownName`.

    >>> [state.name for state in optimizer("adamw").states]
    ['first moment', 'second moment']
    """
    if name not in OPTIMIZERS:
        raise unknown("optimizer", name, OPTIMIZERS)
    return OPTIMIZERS[name]


def recipe(name: str = "bf16", dtype: str | None = None) -> Recipe:
    """The recipe of that name, computing in `dtype` where one is named; unknown names raise `UnknownName`.

    >>> recipe("bf16").dtype(compute).name, recipe("bf16", "fp32").compute.bytes
    ('bf16', Fraction(4, 1))
    """
    if name not in RECIPES:
        raise unknown("recipe", name, RECIPES)
    if dtype is not None and dtype not in COMPUTE_DTYPES:
        raise unknown("dtype", dtype, COMPUTE_DTYPES)
    chosen = RECIPES[name]
    return chosen if dtype is None else replace(chosen, compute=COMPUTE_DTYPES[dtype])
