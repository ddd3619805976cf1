"""One operation traced in letters, and inputs for it."""

from collections.abc import Callable

from sympy import Expr, Integer, symbols

from derive import Input, Plan, Role, Tensor, Trace, boolean, int64, saved, trace

s, b, h, a, g, d, f, V, E, k = symbols("s b h a g d f V E k", positive=True, integer=True)
SIZES: dict[str, Expr] = {str(letter): letter for letter in (s, b, h, a, g, d, f, V, E, k)}
SIZES |= {"2": Integer(2), "h_f": h + f}

X, Y, WIDE = Input("x", "s b h"), Input("y", "s b h"), Input("y", "f b h")
K = Input("k", "s b g d")
MASK = Input("m", "s b h", dtype=boolean, differentiable=False)
CHOSEN = Input("chosen", "s b k", dtype=int64, role=Role.INDEX, differentiable=False)
ROWS = Input("rows", "2 k s b", dtype=int64, role=Role.INDEX, differentiable=False)
IDS = Input("ids", "s b", dtype=int64, role=Role.INDEX, differentiable=False)


def run(function: Callable[..., Tensor], *inputs: Input) -> tuple[Tensor, Trace]:
    """The result of a function, and its trace."""
    made: list[Tensor] = []
    traced = trace(lambda *leaves: made.append(function(*leaves)), *inputs, sizes=SIZES)
    return made[0], traced


def kept(traced: Trace, plan: Plan | None = None) -> Expr:
    return saved(traced, plan or Plan()).value.expand()
