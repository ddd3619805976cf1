"""The memory of one device: what lives when in a training step, its peak, and what a device has for it."""

from dataclasses import replace
from fractions import Fraction

from derive import (
    Constant,
    Given,
    Ledger,
    Line,
    Role,
    Row,
    Statement,
    byte,
    ceil,
    floor,
    formula,
    minimum,
    rational,
    saved,
    tensors,
)
from derive.folds import parameters, width
from derive.interval import Interval
from derive.persistent import gathered, gradients_within
from derive.units import parameter
from formulas.activations import model_activations
from formulas.notation import notation_of
from formulas.recompute import live_layer
from formulas.states import gradients, resident_states
from formulas.timeline import highest, moments_of, several, steady, text_of

notation = notation_of("memory")
names = "M_r M_g A X K Z U J m M c q x_w phi x_r u y"
M_r, M_g, A, X, K, Z, U, J, m, M, c, q, x_w, phi, x_r, u, y = (notation.symbol(x) for x in names.split())
GIB, MIB = Fraction(2**30), 2**20


@formula("X", unit=byte, notation=notation)
def loss_transient(model, plan):
    """What lives while the loss is differentiated and is not kept: logits, and two fp32 gradients of their size.

    As PyTorch's cross_entropy does it: the gradient of the log-probabilities and the one of their input are there at
    once, beside the log-probabilities, which are kept. Fused losses have less. What of the head is run again is there
    too. Unit: byte.
    """
    head = saved(model.whole, replace(plan, recompute=())).within("head").less(saved(model.whole, plan))
    logits = tensors(model.whole, plan, ("logits",), "lives while the loss is computed")
    wide = tensors(model.whole, plan, ("log-probabilities",), "made in the loss's backward pass")
    names = "gradient of the log-probabilities", "gradient of the logits in fp32"
    gradients = (replace(row, tensor=name) for name in names for row in wide)
    return logits + Ledger(tuple(gradients), byte) + head


@formula("K", unit=byte, notation=notation, of_layer=True)
def recomputed_interior(model, plan):
    """What one layer's backward pass has beside what was kept of it: everything that the plan runs again.

    Unit: byte.
    """
    return live_layer.rows(model, plan).less(saved(model.layer, plan))


@formula("Z", unit=byte, notation=notation, of_layer=True)
def gathered_layer(model, plan):
    """One layer's weights in the compute format while it runs, where a device holds only a shard or another format.

    Under `zero=3` beside them the layer's whole gradients, before they are summed into shards. Unit: byte.
    """
    compute, held = plan.recipe.compute, next(x for x in plan.recipe.persistent if x.role is Role.MODEL_WEIGHTS)
    sharded = plan.zero >= held.stage and plan.dp * plan.cp != 1
    layer = (gathered if sharded and held.dtype == compute else parameters)(model.layer, plan)
    copies = {"gathered or cast for its pass": sharded or held.dtype != compute, "its gradient, whole": sharded}
    rows = (
        replace(row, dtype=compute.name, why=why)
        for why, there in copies.items()
        for row in (layer.times(width(compute), byte / parameter) if there else ())
    )
    return Ledger(tuple(rows), byte)


@formula("U", unit=byte, notation=notation, of_layer=True)
def layer_transient(model, plan):
    """What one layer's backward pass has beside what was kept of it: what is run again, and weights that are gathered.

    Unit: byte.
    """
    return recomputed_interior.rows(model, plan) + gathered_layer.rows(model, plan)


@formula("J", unit=byte, notation=notation)
def never_together(model, plan):
    """Of layers of several kinds, activations and gradients of which only one or the other is there, at the least.

    Of each layer, gradients come when activations go. In whatever order layers of several kinds are, they never have
    more than the larger of the two, kind by kind: of all of both, the smaller is missing. Unit: byte.
    """
    rows, kept = [], saved(model.whole, plan)
    for kind in model.architecture.kinds:
        here, made = kept.within(kind).value, gradients_within(model.whole, plan, kind).value
        if here != 0 and made != 0:
            why = "the smaller of their activations and their gradients"
            rows.append(Row((kind,), f"all {kind}s", (), None, minimum(here, made), why, written=True))
    return Ledger(tuple(rows), byte)


moments = {
    "M_r": resident_states,
    "M_g": gradients,
    "A": model_activations,
    "X": loss_transient,
    "K": recomputed_interior,
    "Z": gathered_layer,
    "U": layer_transient,
    "J": never_together,
}


def timeline(model, plan):
    """The moments of a step that can be its peak, with what is on a device then beside the states that stay."""
    x, *layer = there(model, plan)
    apart = is_there(J, model, plan) if several(model) else None
    return moments_of(x, sum(layer, rational(0)), apart)


def there(model, plan):
    """X, K and Z, each 0 where it has no rows; of bare sizes nothing is known about a layer.

    Of several kinds of layers, U in place of K and Z: the sum is the one of a layer, whose kind has most of it.
    """
    if model is None:
        return (rational(0),) * 3
    return tuple(is_there(x, model, plan) for x in ((X, U) if several(model) else (X, K, Z)))


def is_there(letter, model, plan):
    """A letter, or 0 where what it stands for has no rows, of no kind of layers."""
    each = moments[str(letter)]
    models = model.of_kinds.values() if each.of_layer and several(model) else [model]
    return letter if any(each.rows(one, plan).value != 0 for one in models) else rational(0)


@formula("M_f", unit=byte, notation=notation, letters=moments, defaults=steady)
def forward_end(plan, model=None):
    """What a device holds when the backward pass of the last micro-batch starts, at its loss.

    Unit: byte.
    """
    return Statement(M_r, "states that stay"), Statement(
        timeline(model, plan)["backward pass of the loss"], "activations, and older gradients"
    )


@formula("M_b", unit=byte, notation=notation, letters=moments, defaults=steady)
def backward_end(plan, model=None):
    """What a device holds when the backward pass is done, and during the optimizer's step.

    Unit: byte.
    """
    return Statement(M_r, "states that stay"), Statement(timeline(model, plan)["optimizer step"], "all gradients")


@formula("M_p", unit=byte, notation=notation, letters=moments, defaults=steady)
def peak_memory(plan, model=None):
    """The most that a device holds at any moment of a training step.

    The largest of the timeline's moments. A layer's are bounds: its last tensors come when its first are gone, and the
    loss's rows are counted on; of several kinds of layers, each is taken to be where it adds most. Gradients are there
    from the end of the first backward pass on, so that with m > 1 micro-batches they meet the activations of the next
    one; a framework that allocates their buffer beforehand, such as Megatron-LM, is always at m = 2. Left out:
    gradients of activations inside the layer whose backward pass runs, and temporaries of the optimizer (torch's
    foreach AdamW takes 4 bytes a parameter more while it steps) and of communication. Unit: byte.
    """
    return (
        Statement(M_r, "states that stay"),
        Statement(highest(timeline(model, plan)), "the largest moment", "of: " + ", ".join(timeline(model, plan))),
    )


@formula("M_s", unit=byte, notation=notation, letters=moments, defaults=steady)
def memory_sum(plan, model=None):
    """Everything that a device holds at some moment of a step, added up: no moment has more.

    Unit: byte.
    """
    parts = (at_loss, either) if several(model) else (at_loss, interior, whole_layer)
    beside = dict(zip(parts, there(model, plan), strict=True))
    whole = sum(beside.values(), M_g + A)
    total, peak = (text_of(amount) for amount in (whole, highest(timeline(model, plan))))
    bound = Line(peak, total, "no moment has more: min(1, m - 1) is at most 1", checked=True, relation="<=")
    return (
        Statement(M_r, "states that stay", by=(bound,)),
        Statement(M_g, "gradients"),
        Statement(A, "activations"),
        *(Statement(amount, what) for what, amount in beside.items() if amount != 0),
    )


at_loss, interior, whole_layer = "beside them at the loss", "a layer that is run again", "a gathered layer"
either = "a layer that is run again or gathered"


seed = "default: train-ledger, chapter 5"


@formula(
    "M_u",
    unit=byte,
    notation=notation,
    defaults={
        "c": Given(Interval(GIB / 2, GIB), seed),
        "q": Given(Interval(GIB, 3 * GIB), seed),
        "phi": Given(Interval(Fraction(5, 100), Fraction(15, 100)), seed),
        "x_w": Given(0, "default: none; see cublas-workspace"),
    },
)
def usable_memory():
    """Memory of a device that is left for tensors, as bounds: what its driver reports less what is no tensor.

    The CUDA context and NCCL's buffers are outside the allocator; of what it reserves, fragmentation loses a share and
    libraries take their workspaces. Source: the train-ledger article, chapter 5, for the three ranges. Unit: byte.
    """
    return (
        Statement(M, "memory that the driver reports"),
        Statement(-c, "CUDA context"),
        Statement(-q, "NCCL's buffers"),
        Statement(-phi * (M - c - q), "fragmentation", "a share of what the allocator reserves: all the rest"),
        Statement(-x_w, "workspaces of libraries"),
    )


workspace = Constant(
    "workspace of a cuBLAS handle", Fraction(32 * MIB), byte, "PyTorch 2.13, CublasHandlePool.cpp, Hopper and Blackwell"
)
channel = Constant("buffer of an NCCL channel", Fraction(4 * MIB), byte, "NCCL, NCCL_BUFFSIZE")


@formula("x_w", unit=byte, notation=notation, constants=(workspace,), defaults={"u": Given(1, "default")})
def cublas_workspace():
    """Workspaces of cuBLAS on a Hopper or Blackwell device, which PyTorch takes from its own allocator.

    Unit: byte.
    """
    return Statement(workspace.number * u, "one for each handle and stream", each=byte)


@formula("q", unit=byte, notation=notation, constants=(channel,), defaults={"y": Given(1, "default")})
def nccl_buffers():
    """Buffers of NCCL's channels, which are outside PyTorch's allocator; its low-latency protocols have more.

    Unit: byte.
    """
    return Statement(channel.number * y, "one for each channel of each communicator", each=byte)


ALLOCATOR = tuple(
    Constant(name, Fraction(value), byte, "PyTorch, c10/core/AllocatorConfig.h")
    for name, value in {
        "kMinBlockSize": 512,
        "kSmallSize": MIB,
        "kSmallBuffer": 2 * MIB,
        "large_segment_size": 20 * MIB,
        "kMinLargeAlloc": 10 * MIB,
        "kRoundLarge": 2 * MIB,
    }.items()
)
least, small, small_buffer, large_buffer, large, step = (each.number for each in ALLOCATOR)


@formula("r_b", unit=byte, notation=notation, constants=ALLOCATOR[:1])
def allocated_block():
    """What PyTorch's caching allocator counts as allocated for a request: whole blocks of 512 bytes.

    Requested <= allocated <= active <= reserved <= the driver's count: this is the step from the first to the second.
    Unit: byte.
    """
    return Statement(least * ceil(x_r / least), "rounded up to whole blocks", each=byte, counts=("x_r",))


@formula("r_s", unit=byte, notation=notation, constants=ALLOCATOR)
def allocated_segment():
    """What PyTorch's caching allocator reserves from the driver for a request that no cached segment can serve.

    2 MiB up to 1 MiB, 20 MiB below 10 MiB, and from there on the request rounded up to 2 MiB; a 10 MiB request has its
    own segment, as the test is size < 10 MiB. Unit: byte.
    """
    # Sizes are multiples of the least block: the next one above `small` and the first from `large` on are whole.
    above_small = minimum(1, floor(x_r / (small + 1)))
    from_large = minimum(1, floor(x_r / (large - least + 1)))
    return (
        Statement(small_buffer * (1 - above_small), "up to 1 MiB: a small segment", each=byte, counts=("x_r",)),
        Statement(
            large_buffer * (above_small - from_large), "below 10 MiB: a large segment", each=byte, counts=("x_r",)
        ),
        Statement(
            step * ceil(x_r / step) * from_large, "from 10 MiB on: a segment of its own", each=byte, counts=("x_r",)
        ),
    )
