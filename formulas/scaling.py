"""How much compute a training run is, and how it is best shared between parameters and tokens."""

from fractions import Fraction
from functools import cache

from derive import Constant, Given, Line, Plan, Statement, dimensionless, flop, flops, formula, sqrt, token
from derive.units import parameter
from formulas.flops import dense_flops_per_token, flops_per_token, weight
from formulas.loss_fits import USUAL
from formulas.notation import notation_of
from formulas.parameters import parameters

notation = notation_of("scaling")
N, F, D, C, E, A, alpha, B, beta, z, U, r, e = (
    notation.symbol(x) for x in ("N", "F", "D", "C", "E", "A", "alpha", "B", "beta", "z", "U", "r", "e")
)  # fmt: skip

RATIO = Constant(
    "tokens for each parameter", Fraction(20), token / parameter,
    "Hoffmann et al. 2022, arXiv:2203.15556: 1.4e12 tokens for 70e9 parameters",
)  # fmt: skip
DECAY = "Muennighoff et al. 2023, arXiv:2305.16264, appendix A: R_D*"
EULER = Given(Fraction("2.718281828459045235360287471352662497757"), "Euler's number, to forty digits")


@cache
def _each(*passes):
    """FLOPs of each parameter and token in these passes, traced on one matrix."""
    s, h, f = (notation.symbol(x) for x in "shf")
    return flops(weight, Plan(), *passes).value / (s * h * f)


POWERS = ("alpha", "beta")
# The optimum in logarithms, where Lagrange's condition and the budget are linear equations.
LOGARITHMS = {"ln_N": "(ln_A + y)/alpha", "ln_D": "(ln_B + y)/beta", "ln_C": "ln_N + ln_D"}
LAGRANGE = (
    Line("alpha*A/N^alpha", "beta*B/D^beta", "Lagrange: a step along the budget changes both terms by as much"),
    Line("ln_N", LOGARITHMS["ln_N"], "in logarithms, y that of one over either side"),
    Line("ln_D", LOGARITHMS["ln_D"], "the same of the other side"),
    Line("ln_C", LOGARITHMS["ln_C"], "the budget, C/6 = ND"),
)
PASSES = "forward", "backward"  # of 6ND; the forward pass alone is 2ND


@formula("C", unit=flop, notation=notation, letters={"F": (flops_per_token, dense_flops_per_token)})
def training_flops():
    """FLOPs of a training run: the FLOPs of each token times the tokens.

    With a model, what its trace gives; without one, 6ND. Unit: FLOP.
    """
    return Statement(F * D, "FLOPs of every token")


@formula("N", unit=parameter, notation=notation, constants=(RATIO,))
def chinchilla_parameters():
    """Parameters of the model that suits a compute budget, at Chinchilla's ratio of tokens to parameters.

    Unit: parameter.
    """
    ratio, trained = RATIO.number, _each(*PASSES)
    both = trained * ratio
    spent, data = {"C": f"{both}*N^2"}, {"C": f"{trained}*N*D", "D": f"{ratio}*N"}
    return Statement(
        sqrt(C / both),
        "the budget solved for N",
        each=(flop / parameter**2) ** Fraction(-1, 2),
        by=(
            Line("C", data["C"], "FLOPs of training, dense"),
            Line("D", data["D"], "Chinchilla's tokens for each parameter"),
            Line("C", spent["C"], "both together", data),
            Line("N", f"sqrt(C/{both})", "solved for N", spent),
        ),
    )


@formula("D", unit=token, notation=notation, letters={"N": (parameters, chinchilla_parameters)}, constants=(RATIO,))
def chinchilla_tokens():
    """Tokens that suit a model by Chinchilla's ratio; without a model, those that suit a compute budget.

    Unit: token.
    """
    return Statement(RATIO.number * N, "so many for each parameter", each=RATIO.unit)


@formula("c_over", unit=dimensionless, notation=notation, letters={"N": parameters}, constants=(RATIO,))
def overtraining():
    """Training tokens over those of Chinchilla's ratio: above 1 the model is trained for longer.

    Unit: 1.
    """
    return Statement(D / (RATIO.number * N), "tokens over the tokens that suit the model", each=RATIO.unit**-1)


@formula(
    "loss", unit=dimensionless, notation=notation, letters={"N": parameters}, defaults=USUAL.given(*"EAB", *POWERS)
)
def parametric_loss():
    """Loss of a model of N parameters after D tokens, by a fitted law.

    In nats a token, on the data that the law was fitted to. `formulas.loss_fits` has three published sets of
    coefficients. Source of the form: Hoffmann et al. 2022, section 3.3. Unit: 1.
    """
    return (
        Statement(E, "what no model gets below"),
        Statement(A / N**alpha, "for being finite", counts=("N",)),
        Statement(B / D**beta, "for having seen so few tokens", counts=("D",)),
    )


@formula("N", unit=parameter, notation=notation, defaults=USUAL.given("A", "B", *POWERS))
def optimal_parameters():
    """Parameters at which the fitted loss is least, for a compute budget C = 6ND.

    Lagrange: at the minimum of A/N^alpha + B/D^beta with ND fixed, N times the derivative by N is D times that by D:
    alpha*A/N^alpha = beta*B/D^beta. It is the only minimum: in log N, with log N + log D fixed, both terms are
    exponentials, so their sum is strictly convex. Source: Hoffmann et al. 2022, equation 4. Unit: parameter.
    """
    total = alpha + beta
    return Statement(
        (alpha * A / (beta * B)) ** (1 / total) * (C / _each(*PASSES)) ** (beta / total),
        "the exponential of its logarithm",
        each=parameter,
        counts=("C",),
        by=(
            *LAGRANGE,
            Line("ln_N", "(ln_A - ln_B + beta*ln_C)/(alpha + beta)", "solved for N", LOGARITHMS),
        ),
    )


@formula("D", unit=token, notation=notation, defaults=USUAL.given("A", "B", *POWERS))
def optimal_tokens():
    """Tokens at which the fitted loss is least, for a compute budget C = 6ND: the budget over 6 optimal-parameters.

    Unit: token.
    """
    total = alpha + beta
    return Statement(
        (beta * B / (alpha * A)) ** (1 / total) * (C / _each(*PASSES)) ** (alpha / total),
        "the exponential of its logarithm",
        each=token,
        counts=("C",),
        by=(
            *LAGRANGE,
            Line("ln_D", "(ln_B - ln_A + alpha*ln_C)/(alpha + beta)", "solved for D", LOGARITHMS),
        ),
    )


@formula("C_life", unit=flop, notation=notation, letters={"N": parameters})
def lifetime_flops():
    """FLOPs of training a model on D tokens and of serving z tokens with it, every parameter counted as multiplied.

    The loss law's best N and D for a given loss then satisfy alpha*A/N^alpha = (1 + z/(3D))*beta*B/D^beta: the more is
    served, the smaller the model and the longer its training. There is no closed form. Source: Sardana et al. 2024.
    Unit: FLOP.
    """
    each = flop / parameter / token
    return (
        Statement(_each(*PASSES) * N * D, "forward and backward, for each trained token", each=each),
        Statement(_each("forward") * N * z, "forward, for each served token", each=each),
    )


@formula("D_eff", unit=token, notation=notation, defaults={"r": Given(Fraction("15.387756"), DECAY), "e": EULER})
def effective_tokens():
    """Fresh tokens that are worth as much as D tokens of a data set of U tokens, seen D/U times.

    Nearly D while r repetitions are far, at most U(1 + r). Source: Muennighoff et al. 2023, section 3.1. Unit: token.
    """
    repetitions = D / U - 1
    return (
        Statement(U, "the first pass"),
        Statement(U * r * (1 - e ** -(repetitions / r)), "all repetitions, each worth less than the one before"),
    )
