"""How long the devices of a pipeline wait, and how many micro-batches they hold at once, as their schedule decides."""

from derive import Line, Statement, dimensionless, formula, minimum, second
from formulas.notation import notation_of

notation = notation_of("parallelism")
p, m, v = (notation.symbol(x) for x in "pmv")
t_f, t_b, t_w, t_o = (notation.symbol(x) for x in ("t_f", "t_b", "t_w", "t_o"))

IDEAL = Line("t_id", "m*(t_f + t_b)", "what each device has to do: m micro-batches, forward and backward")
BUBBLE = Line(
    "t_pb",
    "(p - 1)*(t_f + t_b)",
    "the last device waits for p - 1 forward passes before it starts, and for p - 1 backward passes after it is done",
)
SMALLER = Line(
    "t_pb", "(p - 1)*(t_f + t_b)/v", "as many passes as without chunks, each through a chunk: 1/v of a device's layers"
)


def share(left, right):
    """The line in which the times cancel."""
    return Line(left, right, "t_f + t_b cancels", given={"t_id": IDEAL.right})


@formula("t_pb", unit=second, notation=notation)
def pipeline_idle():
    """Time that each device of a pipeline waits in one step, with GPipe and with 1F1B alike.

    Every stage takes the same time, sending none; counted on the last device, since all do equally much in a step.
    The simulated schedules wait exactly as long, whatever t_f and t_b are. Unit: second.

    >>> from fractions import Fraction
    >>> from derive.schedule import Pass, one_forward_one_backward, run
    >>> times = {Pass.FORWARD: Fraction(1), Pass.BACKWARD: Fraction(2)}
    >>> [int(idle) for idle in run(one_forward_one_backward(4, 8), times).idle]
    [9, 9, 9, 9]
    """
    return (
        Statement((p - 1) * t_f, "before the first micro-batch arrives", "it passes p - 1 devices first"),
        Statement((p - 1) * t_b, "after the last gradient leaves", "it passes p - 1 devices still"),
    )


@formula("beta", unit=dimensionless, notation=notation)
def pipeline_bubble():
    """Pipeline bubble as a share of the ideal time: waiting over computing.

    With GPipe and with 1F1B alike; `pipeline-bubble-of-whole` is the other convention. Unit: 1.
    """
    ratio = share(f"{BUBBLE.right}/t_id", "(p - 1)/m")
    return Statement((p - 1) / m, "t_pb over t_id", "waiting over computing", by=(IDEAL, BUBBLE, ratio))


@formula("beta", unit=dimensionless, notation=notation)
def pipeline_bubble_of_whole():
    """Pipeline bubble as a share of the whole step: waiting over waiting and computing.

    What utilization loses: 1 - this is the share of the step in which a device computes. Unit: 1.
    """
    ratio = share(f"{BUBBLE.right}/(t_id + {BUBBLE.right})", "(p - 1)/(m + p - 1)")
    return Statement((p - 1) / (m + p - 1), "t_pb over t_id + t_pb", "waiting over the step", by=(IDEAL, BUBBLE, ratio))


@formula("beta", unit=dimensionless, notation=notation)
def interleaved_bubble():
    """Pipeline bubble of an interleaved schedule with v chunks a device, as a share of the ideal time.

    The schedule needs p to divide m. Unit: 1.
    """
    ratio = share(f"{SMALLER.right}/t_id", "(p - 1)/(v*m)")
    return Statement((p - 1) / (v * m), "t_pb over t_id", "waiting over computing", by=(IDEAL, SMALLER, ratio))


@formula("t_pb", unit=second, notation=notation)
def zero_bubble_idle():
    """Time that each device waits in one step where weights' gradients are a pass of their own (ZB-H1, ZB1P).

    Holds for t_w <= t_f, 2*t_w <= t_b and m >= p: then what is put off fills as much of the end as there is of it. No
    device holds more micro-batches than the first one of 1F1B. Unit: second.

    >>> from fractions import Fraction
    >>> from derive.schedule import Pass, run, zero_bubble
    >>> times = {Pass.FORWARD: Fraction(1), Pass.INPUTS: Fraction(1), Pass.WEIGHTS: Fraction(1)}
    >>> [int(idle) for idle in run(zero_bubble(4, 8), times).idle]
    [3, 3, 3, 3]
    """
    return (
        Statement((p - 1) * t_f, "before the first micro-batch arrives", "it passes p - 1 devices first"),
        Statement((p - 1) * t_b, "after the last gradient leaves", "it passes p - 1 devices still"),
        Statement((1 - p) * t_w, "less, for it leaves sooner", "p - 1 gradients of inputs, none of weights"),
        Statement((1 - p) * t_w, "less, for it is filled", "p - 1 gradients of weights that were put off"),
    )


@formula("t_pb", unit=second, notation=notation)
def dual_pipe_idle():
    """Time that the two devices in the middle of DualPipe wait in one step: no device waits longer.

    For an even number p of devices and at least 2p micro-batches, half of them from either end. Holds for
    t_f = t_b - t_w >= t_w and t_o from t_b to t_f + t_b, as its simulation shows; with other times it differs. Each
    device holds p + 1 micro-batches, each of one of its two stages. Unit: second.

    >>> from fractions import Fraction
    >>> from derive.schedule import Pass, dual_pipe, run
    >>> times = dict(zip(Pass, map(Fraction, (1, 2, 1, 1)), strict=True))
    >>> done = run(dual_pipe(4, 8), times, overlapped=Fraction(3))
    >>> [int(idle) for idle in done.idle], done.in_flight
    ([2, 2, 2, 2], (5, 5, 5, 5))
    """
    fits = Line("t_f", "t_b - t_w", "a forward pass takes as long as the gradients of the inputs")
    return Statement((p / 2 - 1) * (t_o + t_b - 3 * t_w), "of a middle device", "simulated", by=(fits,))


@formula("x", unit=dimensionless, notation=notation)
def in_flight_microbatches():
    """Micro-batches whose activations the first device holds at once, with 1F1B.

    p - 1 forward passes before its first backward pass can start, and the one before that; GPipe holds all m.
    Device i of p, counted from 0, holds min(m, p - i). Unit: 1.
    """
    held = Line("p - 1 + 1", "p", "the warm-up, and one more before the first backward pass", checked=True)
    return Statement(minimum(m, p), "micro-batches in flight", "no more than there are", by=(held,))


@formula("x", unit=dimensionless, notation=notation)
def interleaved_in_flight_microbatches():
    """Micro-batches whose activations the first device holds at once, with v >= 2 interleaved chunks.

    Counted in activations of all layers of the device: a chunk's are 1/v of a micro-batch. Unit: 1.
    """
    held = Line(
        "(2*(p - 1) + (v - 1)*p + 1)/v",
        "p + (p - 1)/v",
        "chunks of the first device's warm-up (2(p - 1) + (v - 1)p) and the one after it, each 1/v of its layers",
        checked=True,
    )
    return Statement(minimum(m, p + p / v - 1 / v), "micro-batches in flight", "no more than there are", by=(held,))


@formula("x", unit=dimensionless, notation=notation)
def interleaved_penalty():
    """Activations that the first device holds with v >= 2 interleaved chunks, over those with 1F1B.

    For m >= p + (p - 1)/v, so from 2p micro-batches on. Unit: 1.
    """
    ratio = Line("(p + (p - 1)/v)/p", "1 + (p - 1)/(p*v)", "micro-batches in flight over p", checked=True)
    return Statement(1 + 1 / v - 1 / (p * v), "activations over those of 1F1B", "p + (p - 1)/v over p", by=(ratio,))
