"""Number formats: what their bits say of range and precision, and the ones of training beside one another."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem

theorem = partial(Theorem, topic="formats")
most, epsilon = partial(Of, "float-max"), partial(Of, "float-epsilon")
normal, subnormal = partial(Of, "float-min-normal"), partial(Of, "float-min-subnormal")
BF16, FP16, FP32 = {"e": "8", "m": "7"}, {"e": "5", "m": "10"}, {"e": "8", "m": "23"}
POWER = "2^(2^(e - 1) - 1)"

FORMATS = (
    theorem(
        "largest-below-the-next-power",
        "the largest finite value is below the power of two that would be next",
        f"x < 2*{POWER}",
        {"x": most()},
    ),
    theorem(
        "largest-and-one-more-place",
        "the largest finite value is below the next power of two by one unit in its last place",
        f"x + y*{POWER} == 2*{POWER}",
        {"x": most(), "y": epsilon()},
    ),
    theorem(
        "codes-without-a-value",
        "all codes but two for each mantissa, infinities and NaN, and the second zero are finite values of their own",
        "x == y + 2*2^m + 1",
        {"x": Of("float-codes"), "y": Of("float-values")},
    ),
    theorem(
        "fp16-ends-at-65504",
        "fp16 ends at 65504",
        "x == 65504",
        {"x": most(at=FP16)},
    ),
    theorem(
        "bf16-is-coarser",
        "bf16 rounds 8 times as coarsely as fp16",
        "x == 8*y",
        {"x": epsilon(at={"m": "7"}), "y": epsilon(at={"m": "10"})},
    ),
    theorem(
        "bf16-reaches-as-far",
        "bf16 reaches to within 1/128 of where fp32 ends",
        "(1 - 1/128)*x < y",
        {"x": most(at=FP32), "y": most(at=BF16)},
    ),
    theorem(
        "fp16-subnormals",
        "the smallest value of fp16 is an epsilon of its smallest normal one",
        "x == y*z",
        {"x": subnormal(at=FP16), "y": normal(at={"e": "5"}), "z": epsilon(at={"m": "10"})},
    ),
    theorem(
        "fp16-underflows-where-bf16-does-not",
        "the smallest value of fp16 is far above the smallest normal one of bf16",
        "10^30*y < x",
        {"x": subnormal(at=FP16), "y": normal(at={"e": "8"})},
    ),
)
