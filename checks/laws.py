"""Laws that tie quantities together whatever the model: each one a statement in words and its two exact sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, cast

from sympy import Add, Expr, Integer

from derive import Architecture, Given, Ledger, Plan, Role, expand, flops, lookup, recipe
from derive.evaluation import fitted
from derive.folds import parameters, saved, width
from derive.precision import fp32
from derive.roles import PARAMETERS
from derive.tracing import Input, Trace, block, parameter, trace
from formulas.architectures import decoder, gpt, llama
from formulas.notation import common

Sides = tuple[Expr, Expr]
Fold = Callable[[Trace, Plan], Ledger]


@dataclass(frozen=True)
class Case:
    """An architecture under a plan, at sizes where they are given and in letters where they are not.

    Sizes enter before the trace, so that a law at numbers does not rest on substituting them into a formula.
    """

    architecture: Architecture
    plan: Plan
    sizes: Mapping[str, Expr | int] = field(default_factory=dict)

    def size(self, letter: str) -> Expr:
        """The size of a letter: the number, or the letter itself."""
        return Integer(1) * self.sizes.get(letter, self.architecture.notation.symbol(letter))

    @cached_property
    def layer(self) -> Trace:
        """One layer, traced at these sizes."""
        return self.traced(self.architecture.layer, self.architecture.layer_inputs)

    @cached_property
    def whole(self) -> Trace:
        """The whole model, traced at these sizes."""
        return self.traced(self.architecture.model, self.architecture.model_inputs)

    def traced(self, function: Callable[..., Any], inputs: tuple[Input, ...]) -> Trace:
        """Another layer or model at the same sizes."""
        return trace(function, *inputs, sizes={name: self.size(name) for name in self.architecture.letters.split()})

    def having(self, **sizes: Expr | int) -> Case:
        """The same case with other sizes."""
        return replace(self, sizes={**self.sizes, **sizes})

    def under(self, **settings: Any) -> Case:
        """The same case with other settings of the plan."""
        return replace(self, plan=replace(self.plan, **settings))

    def running(self, attention: str | None = None, *recompute: Any) -> Case:
        """The same case with attention run that way, if one is named, and these blocks recomputed, no others."""
        kernels = (("attention", attention),) if attention is not None else self.plan.kernels
        return self.under(kernels=kernels, recompute=recompute, early_stop=False)

    @property
    def serial(self) -> Case:
        """The same case on one device."""
        return self.under(tp=1, sp=False, replicated=())

    @property
    def kept(self) -> Ledger:
        """What one layer keeps for its backward pass."""
        return saved(self.layer, self.plan)

    def flops(self, *passes: str) -> Ledger:
        """What one layer multiplies in these passes."""
        return flops(self.layer, self.plan, *passes)


def case(architecture: Architecture, plan: Plan, sizes: Mapping[str, int] | None = None) -> Case:
    """A case with the architecture's own kernels and mask where the plan says nothing, fitted to the sizes."""
    known = {letter: Given(size, "option") for letter, size in (sizes or {}).items()}
    plan = plan.filled(architecture.kernels, architecture.mask)
    return Case(architecture, fitted(plan, architecture.model_trace.tensors, known, common), sizes or {})


@dataclass(frozen=True)
class Law:
    """One law: its two sides are exact for every case, from the `least` sizes on."""

    name: str
    statement: str
    sides: Callable[[Case], Sides]
    relation: str = "=="
    least: Mapping[str, int] = field(default_factory=dict)


def _shards(fold: Fold, where: str) -> Callable[[Case], Sides]:
    """What all devices hold, counting once what each of them holds whole, and what one device alone holds."""

    def sides(case: Case) -> Sides:
        traced = getattr(case, where)
        shards, serial = fold(traced, case.plan), fold(traced, case.serial.plan)
        pairs = [(row.value, one.value) for row, one in zip(shards, serial, strict=True)]
        return Add(*(row if row == one else case.plan.tp * row for row, one in pairs)), serial.value

    return sides


def _products(case: Case) -> Sides:
    passes = "forward", "backward", "recompute"
    return case.plan.tp * case.flops(*passes).value, case.serial.flops(*passes).value


def _one_device(case: Case) -> Sides:
    t = case.architecture.notation.symbol("t")
    return cast(Expr, case.under(tp=t).kept.value.xreplace({t: Integer(1)})), case.serial.kept.value


def _one_head_a_device(case: Case) -> Sides:
    return case.kept.value, case.having(g=case.plan.tp).under(replicated=()).kept.value


def _backward(case: Case) -> Sides:
    return flops(case.whole, case.plan, "backward").value, 2 * FORWARD(case.whole, case.plan).value


def _frozen(case: Case) -> Sides:
    names = tuple(dict.fromkeys(tensor.name for tensor in case.layer.tensors if tensor.role in PARAMETERS))
    forward = case.flops("forward")
    return case.under(frozen=names).flops("backward").value, forward.value + forward.within("core").value


def _multi_head(fold: Fold) -> Callable[[Case], Sides]:
    def sides(case: Case) -> Sides:
        equal = case.having(g=case.size("a")).under(replicated=())
        rows = fold(equal.layer, equal.plan)
        parts = [rows.select(lambda row, name=name: name in row.tensor).value for name in ("query", "key", "value")]
        return parts[1] + parts[2], 2 * parts[0]

    return sides


def _ends(case: Case) -> Trace:
    """The model without its layers: embedding, final norm, head and loss."""
    return case.traced(partial(case.architecture.model, kinds={}), case.architecture.model_inputs)


def _model(fold: Fold) -> Callable[[Case], Sides]:
    layers = lambda case: case.size("L") * fold(case.layer, case.plan).value  # noqa: E731
    return lambda case: (fold(case.whole, case.plan).value, layers(case) + fold(_ends(case), case.plan).value)


def _tables(case: Case) -> Expr:
    """What one layer keeps of the tables that all layers read: cosines and sines."""
    names = {tensor.name for tensor in case.layer.tensors if tensor.op is None and tensor.role is Role.CONSTANT}
    return case.kept.select(lambda row: row.tensor in names).value


def _model_bytes(case: Case) -> Sides:
    whole, ends = (saved(traced, case.running().plan).value for traced in (case.whole, _ends(case)))
    each, once = case.running().kept.value, _tables(case.running())
    return whole, case.size("L") * (each - once) + once + ends


@block
def nothing(x):
    """A block that only looks at its input."""
    return expand(x, "h -> h")


def _empty(case: Case) -> Sides:
    wrapped = case.traced(lambda x: nothing(case.architecture.layer(nothing(x))), case.architecture.layer_inputs)
    return saved(wrapped, case.under(recompute=(*case.plan.recompute, "nothing")).plan).value, case.kept.value


def _layer_input(case: Case) -> Sides:
    bytes_each = width(case.plan.recipe.compute) / (case.plan.tp if case.plan.sp else 1)
    layer = case.running(None, "layer")
    return layer.kept.value, bytes_each * case.size("s") * case.size("b") * case.size("h") + _tables(layer)


def _again(how: tuple[str, ...], layers: int, halves: int) -> Callable[[Case], Sides]:
    """Twice what runs again; the forward products of so many layers, twice, and of so many halves of the core."""

    def sides(case: Case) -> Sides:
        forward = case.running(*how).flops("forward")
        again = 2 * layers * forward.value + halves * forward.within("core").value
        return 2 * case.running(*how).flops("recompute").value, again

    return sides


def _early_stop(case: Case) -> Sides:
    return case.under(early_stop=True).flops("recompute").value, case.under(early_stop=False).flops("recompute").value


def _kept(one: tuple[str | None, ...], other: tuple[str | None, ...]) -> Callable[[Case], Sides]:
    """What is kept with attention run and blocks recomputed in one way and in another."""
    return lambda case: (case.running(*one).kept.value, case.running(*other).kept.value)


def _flash(case: Case) -> Sides:
    """What flash keeps; what is kept without it, with a log-sum-exp for each row of scores in the scores' place."""
    calls = [(tensor.name, call.name) for tensor in case.layer.tensors for call in case.layer.interior_of(tensor)]
    inside = {name for name, block in calls if block == "core"}
    written = case.running("materialised").kept
    scores = written.within("core").select(lambda row: row.tensor in inside)
    sums = width(fp32) * case.size("a") * case.size("b") * case.size("s") / case.plan.tp
    return case.running("flash").kept.value, written.value - scores.value + sums


def _without_batch(case: Case) -> Expr:
    """What is kept that has no sequences in it: tables, a mask, a scale, random state."""
    names = {tensor.name for tensor in case.layer.tensors if "b" not in [axis.name for axis in tensor.axes]}
    return case.kept.select(lambda row: row.tensor in names or row.role is Role.RANDOM_STATE).value


def _batch(case: Case) -> Sides:
    return case.having(b=2 * case.size("b")).kept.value, 2 * case.kept.value - _without_batch(case)


def _sequences(case: Case) -> Sides:
    split, serial = case.under(sp=True).kept.value, case.serial.kept.value
    return case.plan.tp * split, serial + (case.plan.tp - 1) * _without_batch(case)


def _untied(ids, targets):
    return decoder.tied_head(gpt.final_norm(gpt.embedding(ids)[0]), parameter("head table", "V h", Role.TABLE), targets)


def _tied_llama(ids, targets):
    table = parameter("token table", "V h", Role.TABLE)
    return decoder.tied_head(llama.final_norm(lookup(table, ids)), table, targets)


def _tied(case: Case) -> Sides:
    tied = case.architecture.name.startswith("gpt")
    other = case.traced(_untied if tied else _tied_llama, case.architecture.model_inputs)
    two, one = (parameters(each, Plan()).value for each in ((other, _ends(case)) if tied else (_ends(case), other)))
    return two, one + case.size("V") * case.size("h")


def _causal(case: Case) -> Sides:
    s = case.size("s")
    causal, full = (case.under(mask=mask).flops("forward", "backward") for mask in ("causal", "full"))
    return 2 * s * causal.value, 2 * s * full.value - (s - 1) * full.within("core").value


def _blocks(case: Case) -> Sides:
    return Add(*(case.kept.within(name).value for name in ("attention", "mlp", "norm"))), case.kept.value


def _wide(case: Case) -> Sides:
    narrow, wide = (case.under(recipe=recipe(name)).kept for name in ("bf16", "fp32"))
    return wide.value, narrow.value + narrow.select(lambda row: row.dtype == "bf16").value


WRITTEN, SELECTIVE, FULL = ("materialised",), ("materialised", "core"), ("materialised", "layer")
FORWARD: Fold = lambda traced, plan: flops(traced, plan, "forward")  # noqa: E731
LAWS = (
    Law("shards-of-bytes", "t shards, and what each device keeps whole, are the serial bytes", _shards(saved, "layer")),
    Law("shards-of-parameters", "t shards, and what each holds whole, are the model", _shards(parameters, "whole")),
    Law("shards-of-products", "t devices multiply what one alone does: nothing is done twice", _products),
    Law("sequences", "sequence parallelism leaves nothing whole but what has no sequences in it", _sequences),
    Law("one-device", "at t = 1, with sequence parallelism or without, a layer keeps the serial bytes", _one_device),
    Law("backward", "with nothing frozen, backward products cost twice the forward ones", _backward),
    Law("frozen-weights", "with all weights frozen, backward costs forward and the core once more", _frozen),
    Law("multi-head-bytes", "at g = a, key and value are kept as the query is", _multi_head(saved)),
    Law("multi-head-parameters", "at g = a, key and value have the query's parameters", _multi_head(parameters)),
    Law("multi-head-flops", "at g = a, key and value cost what the query does", _multi_head(FORWARD)),
    Law("model-parameters", "a model has L times a layer's parameters and those of its ends", _model(parameters)),
    Law("model-flops", "a model costs L times a layer and its ends", _model(FORWARD)),
    Law("model-bytes", "a model keeps what L layers and its ends do, tables of all layers once", _model_bytes),
    Law("empty-recomputation", "recomputing a block that computes nothing changes nothing", _empty),
    Law("layer-input", "a recomputed layer keeps its input and the tables that it reads, nothing else", _layer_input),
    Law("layer-again", "a recomputed layer runs its forward products once more", _again(FULL, 1, 0)),
    Law("core-again", "selective recomputation runs the core's products once more", _again(SELECTIVE, 0, 2)),
    Law("scores-again", "a fused core runs one of its two products once more", _again(("flash",), 0, 1)),
    Law("layer-and-scores-again", "a recomputed layer with a fused core does both", _again(("flash", "layer"), 1, 1)),
    Law("nothing-again", "where nothing is recomputed, nothing runs again", _again(WRITTEN, 0, 0)),
    Law("early-stop", "stopping a recomputation early never multiplies more", _early_stop, "<="),
    Law("norm-recomputed", "recomputing the norms never keeps more", _kept((None, "norm"), (None,)), "<="),
    Law("core-recomputed", "recomputing the core never keeps more", _kept(SELECTIVE, WRITTEN), "<="),
    Law("attention-recomputed", "recomputing attention never keeps more", _kept((None, "attention"), (None,)), "<="),
    Law("mlp-recomputed", "recomputing the MLP never keeps more", _kept((None, "mlp"), (None,)), "<="),
    Law("layer-recomputed", "recomputing the layer never keeps more", _kept((None, "layer"), (None,)), "<="),
    Law("core-dropped", "nothing of a recomputed core tells how it ran", _kept(("flash", "core"), SELECTIVE)),
    Law("flash-for-scores", "a fused core keeps 4abs bytes in place of the scores' rows", _flash),
    Law("flash-or-not", "from two tokens on, a fused core keeps no more", _kept(("flash",), WRITTEN), "<=", {"s": 2}),
    Law("batch", "twice the micro-batch keeps twice the bytes, what has no sequences in it once", _batch),
    Law("tied-embeddings", "tied embeddings save exactly Vh parameters", _tied),
    Law("causal-mask", "causal FLOPs are full ones with s(s + 1)/2 in place of each s^2", _causal),
    Law("blocks", "attention, MLP and norms together keep what the layer keeps", _blocks),
    Law("fp32", "computing in fp32 doubles what was kept in bf16 and nothing else", _wide),
)
FEW_HEADS = Law("few-heads", "with fewer key/value heads than devices, each keeps one head whole", _one_head_a_device)
