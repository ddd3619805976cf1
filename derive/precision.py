"""Number formats by width, and recipes: which format each kind of tensor of a training step is held in."""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from derive.errors import unknown


@dataclass(frozen=True, slots=True)
class DType:
    """A storage format: its name and its width in bits."""

    name: str
    bits: int

    @property
    def bytes(self) -> Fraction:
        """Bytes an element, exact: half a byte for a 4-bit format."""
        return Fraction(self.bits, 8)


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
COMPUTE_DTYPES = {dtype.name: dtype for dtype in (fp64, fp32, bf16, fp16, DType("e4m3", 8), DType("e5m2", 8))}


@dataclass(frozen=True, slots=True)
class Recipe:
    """The formats of one training step: what products are computed in, and what normalisation statistics are held in.

    Source of the default: torch's CUDA layer norm keeps mean and 1/std in fp32 for bf16 inputs; its CPU kernel in bf16.
    """

    name: str
    compute: DType
    statistics: DType
    about: str

    def dtype(self, dtype: DType | Slot) -> DType:
        """The format behind `dtype`, which an author may have left to the recipe."""
        return dtype if isinstance(dtype, DType) else {compute: self.compute, statistics_width: self.statistics}[dtype]


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("bf16", bf16, fp32, "bf16 activations, fp32 statistics (torch on CUDA)"),
        Recipe("bf16-cpu", bf16, bf16, "bf16 activations and statistics (torch on CPU)"),
        Recipe("fp16", fp16, fp32, "fp16 activations, fp32 statistics"),
        Recipe("fp32", fp32, fp32, "everything in fp32"),
    )
}


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
