"""Roofline: what a device can compute while its memory moves a byte, and what operations ask of it."""

from sympy import Expr, Integer, ceiling

from derive import Constant, Input, Line, Statement, dimensionless, einsum, flop, flops, formula, gelu, pointwise, relu
from derive import second, tensors, trace
from derive.folds import multiplied
from derive.ledger import Ledger, Row
from derive.plan import Plan
from derive.tracing import Trace
from derive.units import byte, device
from fractions import Fraction
from formulas.architectures.gpt import core
from formulas.notation import notation_of

notation = notation_of("roofline")
P, W, I, m, n, p = (notation.symbol(x) for x in ("P", "W", "I", "m", "n", "p"))
sizes = {letter: notation.symbol(letter) for letter in ("m", "n", "p", "s", "b", "a", "d")}
square = sizes | {"m": n, "p": n}

x, y, vector, matrix = Input("x", "m n"), Input("y", "n p"), Input("x", "n"), Input("A", "m n")
product = trace(lambda x, y: einsum("m n, n p -> m p", x, y, name="result"), x, y, sizes=sizes)
squares = trace(lambda x, y: einsum("m n, n p -> m p", x, y, name="result"), x, y, sizes=square)
dot = trace(lambda x, y: einsum("n, n ->", x, y, name="result"), vector, Input("y", "n"), sizes=sizes)
matvec = trace(lambda A, x: einsum("m n, n -> m", A, x, name="result"), matrix, vector, sizes=square)
rectified = trace(lambda x: relu(x), vector, sizes=sizes)
gelued = trace(lambda x: gelu(x), vector, sizes=sizes)
attention = trace(core, *(Input(name, f"{name} b a d") for name in ()), sizes=sizes) if False else None
