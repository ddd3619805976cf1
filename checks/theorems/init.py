"""Initialisation: the scales of weights that keep variances, and what residual branches add."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="init", letters=(Letter("c", "factor"),))
scale, xavier, relu = partial(Of, "init-scale"), Of("xavier-scale"), Of("relu-scale")
variance = partial(Of, "residual-variance")

INIT = (
    theorem(
        "variance-is-kept",
        "the sum of d products with weights of that scale has the variance of one input",
        "d*x^2 == 1",
        {"x": scale()},
    ),
    theorem(
        "relu-needs-twice-the-variance",
        "through a ReLU the variance of the weights is twice as large",
        "y^2 == 2*x^2",
        {"y": relu, "x": scale()},
    ),
    theorem(
        "xavier-is-between",
        "the variance of Xavier's weights is the harmonic mean of those that keep activations and gradients",
        "y^2 == 2/(1/x_1^2 + 1/x_2^2)",
        {"y": xavier, "x_1": scale(at={"d": "d_in"}), "x_2": scale(at={"d": "d_out"})},
    ),
    theorem(
        "xavier-of-square-weights",
        "for a square matrix Xavier's scale is the one that keeps activations and gradients",
        "y == x",
        {"y": Of("xavier-scale", at={"d_in": "d", "d_out": "d"}), "x": scale()},
    ),
    theorem(
        "four-times-as-wide",
        "c^2 times the inputs have weights of a c-th of the scale",
        "c*wider == x",
        {"wider": scale(at={"d": "c^2*d"}), "x": scale()},
    ),
    theorem(
        "residual-stream-doubles",
        "with its branches scaled by 1/sqrt(2L) the residual stream ends at twice its variance, however deep",
        "x == 2",
        {"y": Of("residual-scale"), "x": variance(at={"tau": "y^2"})},
    ),
    theorem(
        "residual-stream-grows",
        "unscaled, every layer makes the variance of the residual stream larger",
        "x < deeper",
        {"x": variance(), "deeper": variance(at={"L": "L + 1"})},
    ),
)
