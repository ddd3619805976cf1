"""Views: element (i, j) of a matrix lies at o + i*s_0 + j*s_1, and a view only has other numbers there."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(
    Theorem,
    topic="views",
    letters=(
        Letter("k", "step of a slice"),
        Letter("r", "first row of a slice", least=0),
        Letter("x", "head of a column", least=0),
        Letter("y", "place of a column in its head", least=0),
    ),
)
place = partial(Of, "strided-offset", keep="s_0 s_1")
contiguous = partial(Of, "strided-offset")

VIEWS = (
    theorem(
        "transposing",
        "element (j, i) of the transposed matrix, its strides swapped, is element (i, j), where it lies",
        "turned == element",
        {"turned": place(at={"i": "j", "j": "i", "s_0": "s_1", "s_1": "s_0"}), "element": place()},
    ),
    theorem(
        "slicing",
        "every k-th row from row r on: a storage offset of r rows more, and k times the stride",
        "sliced == element",
        {"sliced": place(at={"o": "o + r*s_0", "s_0": "k*s_0"}), "element": place(at={"i": "r + i*k"})},
    ),
    theorem(
        "flattening",
        "a contiguous matrix is a vector of stride 1: element (i, j) is number i*n + j",
        "element == number",
        {"element": contiguous(), "number": place(at={"i": "0", "j": "i*n + j", "s_1": "1"})},
    ),
    theorem(
        "splitting-heads",
        "columns split into a heads of d: strides a*d, d and 1, where the head and the place in it name the column",
        "o + i*(a*d) + x*d + y == element",
        {"element": contiguous(at={"n": "a*d", "j": "x*d + y"})},
    ),
    theorem(
        "expanding",
        "an axis that is expanded has stride 0: every row is the one row there is",
        "expanded == element",
        {"expanded": place(at={"s_0": "0"}), "element": place(at={"i": "0"})},
    ),
)
