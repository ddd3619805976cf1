"""How large random weights must be for signals to keep their scale: standard deviations from variances."""

from types import MappingProxyType

from derive import Given, Line, Statement, dimensionless, formula, rational, sqrt
from formulas.notation import notation_of

notation = notation_of("init")
d, d_in, d_out, tau, L = (notation.symbol(x) for x in ("d", "d_in", "d_out", "tau", "L"))


def scale(amount, what, kept, text):
    """A standard deviation with its argument: the variance tau that keeps a scale, and its root."""
    root = Line("sqrt(tau)", text, "the standard deviation", given=kept.given)
    return Statement(amount, what, "the root of the variance that keeps the scale", by=(kept, root))


@formula("sigma", unit=dimensionless, notation=notation)
def init_scale():
    """Standard deviation of weights that keeps the variance through a product over d inputs.

    An output is a sum of d independent products of mean 0, so its variance is d times that of a weight times that of
    an input. A ReLU in between halves it: `relu-scale`. A normal cut at 3 deviations has 0.9866 of the scale asked for.
    Unit: 1.
    """
    kept = Line("d*tau*x", "x", "variance of a sum of d independent products, and what it should be", {"tau": "1/d"})
    return scale(1 / sqrt(d), "weights of d inputs", kept, "1/sqrt(d)")


@formula("sigma", unit=dimensionless, notation=notation)
def xavier_scale():
    """Standard deviation of weights between what keeps activations and what keeps gradients (Xavier, Glorot).

    Forward a variance is multiplied by d_in of it, backward by d_out: their mean is made 1. Unit: 1.
    """
    given = {"tau": "2/(d_in + d_out)"}
    kept = Line("(d_in*tau + d_out*tau)/2", "1", "the mean of what the two passes multiply by", given)
    return scale(sqrt(2 / (d_in + d_out)), "weights of d_in inputs and d_out outputs", kept, "sqrt(2/(d_in + d_out))")


@formula("sigma", unit=dimensionless, notation=notation)
def relu_scale():
    """Standard deviation of weights that keeps the second moment through a ReLU and a product (He, Kaiming).

    A ReLU of something symmetric around 0 keeps half of its second moment. Unit: 1.
    """
    kept = Line("d*tau*(x/2)", "x", "the second moment after the ReLU is half of x", {"tau": "2/d"})
    return scale(sqrt(2 / d), "weights of d inputs, after a ReLU", kept, "sqrt(2/d)")


@formula("sigma", unit=dimensionless, notation=notation, of_sizes=True)
def residual_scale():
    """Factor on the last weights of every residual branch, two branches a layer: the stream stays bounded.

    2L branches of unit variance add up to 2L; scaled by this, to 1. Unit: 1.
    """
    kept = Line("2*L*tau", "1", "what 2L branches of variance tau add", {"tau": "1/(2*L)"})
    return scale(1 / sqrt(2 * L), "two branches a layer", kept, "1/sqrt(2*L)")


UNIT_BRANCHES = MappingProxyType({"tau": Given(1, "default")})


@formula("x", unit=dimensionless, notation=notation, defaults=UNIT_BRANCHES, of_sizes=True)
def residual_variance():
    """Variance of the residual stream behind L layers, if it starts at 1 and each of 2L branches adds tau.

    Independent branches; tau is 1 unless it is set. At tau = 1/(2L), what `residual-scale` gives, it is 2. Unit: 1.
    """
    return Statement(rational(1), "the embedding"), Statement(2 * L * tau, "two branches a layer")


@formula("x", unit=dimensionless, notation=notation)
def relu_moment():
    """Second moment behind L layers of a product over d inputs and a ReLU, if it starts at 1.

    Each layer multiplies it by d*tau/2: by 1/2 at tau = 1/d, what `init-scale` gives, and by 1 at 2/d. Unit: 1.
    """
    each = Line("d*tau/2", "1/2", "one layer", {"tau": "1/d"})
    return Statement((d * tau / 2) ** L, "L layers", "each multiplies by d*tau/2", by=(each,))
