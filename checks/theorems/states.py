"""States: what ZeRO's stages shard, what they save at most, and what formats and conventions change."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(
    Theorem,
    topic="states",
    letters=(Letter("c", "factor"), Letter("e", "distance to a limit, bytes", kind="positive real")),
)
S, Z_1, Z_2, Z_3 = Of("states"), Of("zero-1"), Of("zero-2"), Of("zero-3")
K, gradients = Of("optimizer-bytes"), Of("gradients")
SEVERAL = ("n >= 2",)
ALONE = {"n >= 2": {"n": 1}}

STATES = (
    theorem(
        "zero-1-at-most-plain",
        "sharding the optimizer's tensors never takes more",
        "Z_1 <= S",
        {"Z_1": Z_1, "S": S},
        equality={"n": 1},
    ),
    theorem(
        "zero-2-at-most-zero-1",
        "sharding the gradients beside the optimizer's tensors never takes more",
        "Z_2 <= Z_1",
        {"Z_2": Z_2, "Z_1": Z_1},
        equality={"n": 1},
    ),
    theorem(
        "zero-3-at-most-zero-2",
        "sharding the weights beside gradients and the optimizer's tensors never takes more",
        "Z_3 <= Z_2",
        {"Z_3": Z_3, "Z_2": Z_2},
        equality={"n": 1},
    ),
    theorem(
        "zero-1-less-from-two-on",
        "from two devices on, sharding the optimizer's tensors takes less",
        "Z_1 < S",
        {"Z_1": Z_1, "S": S},
        given=SEVERAL,
        witness={"n": 2},
        needed=ALONE,
    ),
    theorem(
        "zero-2-less-from-two-on",
        "from two devices on, sharding the gradients beside the optimizer's tensors takes less",
        "Z_2 < Z_1",
        {"Z_2": Z_2, "Z_1": Z_1},
        given=SEVERAL,
        witness={"n": 2},
        needed=ALONE,
    ),
    theorem(
        "zero-3-less-from-two-on",
        "from two devices on, sharding the weights beside gradients and the optimizer's tensors takes less",
        "Z_3 < Z_2",
        {"Z_3": Z_3, "Z_2": Z_2},
        given=SEVERAL,
        witness={"n": 2},
        needed=ALONE,
    ),
    theorem(
        "zero-3-shards-all",
        "with stage 3 n devices hold together what one alone holds",
        "n*Z_3 == S",
        {"Z_3": Z_3, "S": S},
    ),
    theorem(
        "what-zero-1-saves",
        "stage 1 saves 1 - 1/n of what the optimizer holds",
        "S - Z_1 == (1 - 1/n)*K*N",
        {"S": S, "Z_1": Z_1, "K": K},
    ),
    theorem(
        "what-zero-2-saves",
        "stage 2 saves 1 - 1/n of the gradients beside what stage 1 saves",
        "Z_1 - Z_2 == (1 - 1/n)*M_g",
        {"Z_1": Z_1, "Z_2": Z_2, "M_g": gradients},
    ),
    theorem(
        "zero-1-saves-less-than-three-quarters",
        "stage 1 saves less than three quarters of the states, however many devices there are",
        "(S - Z_1)/S < 3/4",
        {"S": S, "Z_1": Z_1},
    ),
    theorem(
        "zero-1-in-the-limit",
        "for every e > 0 stage 1 holds at most e bytes beside weights and gradients, from KN/e devices on",
        "Z_1 - (S - K*N) <= e",
        {"Z_1": Z_1, "S": S, "K": K},
        given=("n >= K*N/e",),
        witness={"e": 12},
        equality={"e": 12, "N": 1, "n": 1},
        needed={"n >= K*N/e": {"e": 1}},
    ),
    theorem(
        "zero-3-in-the-limit",
        "for every e > 0 stage 3 holds at most e bytes a device, from S/e devices on",
        "Z_3 <= e",
        {"Z_3": Z_3, "S": S},
        given=("n >= S/e",),
        witness={"e": 16},
        equality={"e": 16, "N": 1, "n": 1},
        needed={"n >= S/e": {"e": 1}},
    ),
    theorem(
        "zero-1-falls-with-devices",
        "one more device leaves less on each under stage 1",
        "more < Z_1",
        {"Z_1": Z_1, "more": Of("zero-1", at={"n": "n + 1"})},
    ),
    theorem(
        "zero-2-saves-at-most-a-factor-n",
        "sharding optimizer and gradients never leaves a device less than an n-th of the states",
        "S <= n*Z_2",
        {"S": S, "Z_2": Z_2},
        equality={"n": 1},
    ),
    theorem(
        "states-are-linear",
        "c times the parameters take c times the states",
        "larger == c*S",
        {"larger": Of("states", at={"N": "c*N"}), "S": S},
    ),
    theorem(
        "gradients-and-the-rest",
        "the states are the gradients and what stays through a step",
        "M_g + M_r == S",
        {"M_g": gradients, "M_r": Of("resident-states"), "S": S},
    ),
    theorem(
        "mixed-precision-saves-no-states",
        "mixed precision with fp32 masters holds as many bytes of states as fp32: it saves none of them",
        "S == S_32",
        {"S": S, "S_32": Of("states", recipe="fp32")},
    ),
    theorem(
        "master-counted",
        "counting the fp32 master copy or not is a difference of 4 bytes a parameter",
        "S - S_0 == 4*N",
        {"S": S, "S_0": Of("states", recipe="bf16-no-master")},
    ),
    theorem(
        "fp32-gradients-counted",
        "with gradients added up in fp32, as Megatron-LM does, stage 1 holds 6N bytes and 12N/n",
        "Z_1 == N*(6 + 12/n)",
        {"Z_1": Of("zero-1", recipe="bf16-fp32-grads")},
    ),
    theorem(
        "sgd-holds-half",
        "without momentum SGD holds half of what AdamW holds",
        "S_0 == S/2",
        {"S_0": Of("states", optimizer="sgd"), "S": S},
    ),
    theorem(
        "eight-bit-moments-hold-less",
        "with 8-bit moments, their scales included, the states are less than two thirds of AdamW's",
        "S_8 < 2*S/3",
        {"S_8": Of("states", optimizer="adam-8bit"), "S": S},
    ),
    theorem(
        "mixed-precision-holds-16",
        "mixed precision with AdamW holds 16 bytes for each parameter: weight, gradient, master weight, two moments",
        "S == (2 + 2 + 4 + 4 + 4)*N",
        {"S": S},
    ),
    theorem(
        "training-over-inference",
        "training holds as many times the weights in 2 bytes, which inference holds, as their ratio says: 8",
        "S == x*(2*N)",
        {"x": Of("training-inference-ratio"), "S": S},
    ),
    theorem(
        "training-over-inference-without-master",
        "and without a master copy of the weights as the ratio for that says: 6",
        "S_0 == x*(2*N)",
        {"x": Of("training-inference-ratio", recipe="bf16-no-master"), "S_0": Of("states", recipe="bf16-no-master")},
    ),
    theorem(
        "checkpoint-is-less-than-states",
        "a checkpoint is smaller than the states in memory, as gradients are not in it",
        "M_c < S",
        {"M_c": Of("checkpoint-bytes"), "S": S},
        given=("w <= 1",),
        needed={"w <= 1": {"w": 2}},
    ),
)
