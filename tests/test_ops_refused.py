"""Operations on tensors that do not fit: the message names the operation, the pattern and both sizes."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from derive import Input, Mesh, Tensor, einsum, linear, lookup
from derive.errors import ShapeError
from derive.ops import pointwise
from derive.ops.pointwise import add, expand, multiply
from tests.operations import IDS, WIDE, K, X, Y, run

REFUSED: list[tuple[str, tuple[Input, ...], Callable[..., Tensor]]] = [
    ("einsum 's b h, f b h': exactly one '->' is needed", (X, WIDE), lambda x, y: einsum("s b h, f b h", x, y)),
    ("einsum 's b -> b -> s': exactly one '->' is needed", (X,), lambda x: einsum("s b -> b -> s", x)),
    ("einsum 's b h -> s': 1 operands in the pattern, 2 given", (X, Y), lambda x, y: einsum("s b h -> s", x, y)),
    ("einsum 's b b -> s': 's b b' names an axis twice", (X,), lambda x: einsum("s b b -> s", x)),
    ("einsum 's b h -> s s': 's s' names an axis twice", (X,), lambda x: einsum("s b h -> s s", x)),
    ("einsum 's b -> s': 's b' names 2 axes, 'x' has 3: [s b h]", (X,), lambda x: einsum("s b -> s", x)),
    ("einsum 's b h, h b f -> s': axis 'h' is both h and f", (X, WIDE), lambda x, y: einsum("s b h, h b f -> s", x, y)),
    ("einsum 'q b a d, k b a e -> b a q k': axis 'a' is both a and s", (Input("q", "s b a d"), Input("k", "b b s d")),
     lambda q, k: einsum("q b a d, k b a e -> b a q k", q, k)),
    ("einsum 's b h -> s z': axis 'z' of the result is in no operand", (X,), lambda x: einsum("s b h -> s z", x)),
    ("einsum 's b h, s b h -> s': axis 'h' is split in one operand and whole in another",
     (replace(X, split={"h": Mesh.TP}), Y), lambda x, y: einsum("s b h, s b h -> s", x, y)),
    ("einsum 's b h -> s b': masked axes 's' and 'b' must be of one size, are s and b", (X,),
     lambda x: einsum("s b h -> s b", x, masked="s b")),
    ("einsum 's b h -> s b': masked='s z' must name two of its axes", (X,),
     lambda x: einsum("s b h -> s b", x, masked="s z")),
    ("einsum 's b h -> s b': masked='s' must name two of its axes", (X,),
     lambda x: einsum("s b h -> s b", x, masked="s")),
    ("linear 'h f': exactly one '->' is needed", (X,), lambda x: linear(x, "h f")),
    ("linear 's b a d -> h': 4 axes in the pattern, 'x' has [s b h]", (X,), lambda x: linear(x, "s b a d -> h")),
    ("linear 'f -> h': axis 'f' of size f does not fit axis 'h' of size h of 'x' [s b h]", (X,),
     lambda x: linear(x, "f -> h")),
    ("linear 'h -> f': tp='a' is none of its axes", (X,), lambda x: linear(x, "h -> f", tp="a")),
    ("linear 'h -> z': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V, E, k, 2, h_f", (X,),
     lambda x: linear(x, "h -> z")),
    ("lookup: table 'x' must have two axes, has [s b h]", (X, IDS), lookup),
    ("add: 'k' [s b g d] has an axis 'g' that 'x' lacks", (X, K), add),
    ("multiply: axis 's' is both s and f", (X, WIDE), multiply),
    ("multiply: axis 'b' is both b and h", (X, Input("y", "s h b")), multiply),
    ("masked_fill: 'm' [a s] has an axis 'a' that 'x' lacks", (X, Input("m", "a s")), pointwise.masked_fill),
    ("expand 'z -> a': 'k' [s b g d] has no axis 'z'", (K,), lambda k: expand(k, "z -> a")),
    ("expand 'g -> z': axis 'z' has no size; letters with one are s, b, h, a, g, d, f, V, E, k, 2, h_f", (K,),
     lambda k: expand(k, "g -> z")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "inputs", "function"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_errors_name_the_operation_the_pattern_and_both_sizes(text: str, inputs, function):
    with pytest.raises(ShapeError) as error:
        run(function, *inputs)
    assert str(error.value) == text
