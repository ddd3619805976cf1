"""The plan: how one training step is laid out and what it recomputes; a fold reads it, a trace never does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from derive.errors import PlanError, ValueTextError, unknown
from derive.precision import OPTIMIZERS, RECIPES, DType, Optimizer, Recipe, uint64
from derive.roles import Role
from derive.values import parse_positive_integer

if TYPE_CHECKING:
    from sympy import Expr

    from derive.tensor import BlockCall, Mesh, Tensor


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that runs a whole block: it keeps the block's result and residuals, recomputes the rest as it goes.

    `extra` lists what an implementation keeps beside them: name, format, elements. One that has no use for the result
    in its backward pass keeps `residuals_alone`.
    """

    extra: tuple[tuple[str, DType, int], ...] = ()
    residuals_alone: bool = False


# `attention=`: how blocks with `fused_by="attention"` run. The random state that torch 2.13's CUDA flash attention
# saves for dropout is measured: a seed and an offset, and a value that it marks unused.
KERNELS: dict[str, dict[str, Kernel | None]] = {
    "attention": {
        "materialised": None,
        "flash": Kernel(),
        "cuda_flash": Kernel((("random state", uint64, 2), ("unused random state", uint64, 1))),
    },
    "scan": {"materialised": None, "fused": Kernel(residuals_alone=True)},  # they end with a linear layer
}

MASKS = ("causal", "full", "packed")  # packed: causal within each of the documents of a sequence
STAGES = ("0", "1", "2", "3")

LETTERS = {"tp": "t", "pp": "p", "dp": "n", "lora": "r"}  # the letter of what is left symbolic
SQUARES = "q_2"  # the letter of the sum of the squares of the lengths of packed documents


@dataclass(frozen=True, slots=True)
class Plan:
    """Degrees, recomputation, kernels, mask and formats of one step; the default is one device and no recomputation.

    `kernels` and `mask` are empty where the model's own setting holds. `frozen` names parameters, or blocks of them,
    that are not trained. `compose` names variants of the model that are traced in its place.
    """

    tp: Expr | int = 1
    sp: bool = False
    pp: Expr | int = 1
    stage: str = ""  # of the pipeline, that one device of it runs
    uneven: bool = False  # the stages do not divide the layers: the fullest one has a layer more
    position: int = 0  # of a stage in the middle: how many are before it
    slices: tuple[tuple[str, int], ...] = ()  # where layers are of several kinds: how many of each this stage has
    cp: int = 1
    sequence: str = ""  # the letter of the axis that context parallelism splits: the model's to say
    dp: Expr | int = 1
    ep: int = 1  # of the data and context parallel ranks, so many share the experts
    zero: int = 0
    recompute: tuple[str, ...] = ()
    early_stop: bool = False
    kernels: tuple[tuple[str, str], ...] = ()
    mask: str | None = None
    squares: Expr | None = None  # of a packed mask: the sum of the squares of the documents' lengths
    frozen: tuple[str, ...] = ()
    lora: Expr | int = 0  # the rank of the adapters that are trained instead of the weights
    adapted: tuple[str, ...] = ()  # the linear layers that have them; without any, all of them
    compose: tuple[str, ...] = ()
    padding: int = 0  # axes that frameworks pad are padded to a multiple of it, times the tensor parallel degree
    replicated: tuple[str, ...] = ()  # axes kept whole, one part of them a device, since there are fewer than devices
    recipe: Recipe = field(default_factory=lambda: RECIPES["bf16"])
    optimizer: Optimizer = field(default_factory=lambda: OPTIMIZERS["adamw"])

    def degree(self, mesh: Mesh | None) -> Expr | int:
        """How many devices share an axis that is split over `mesh`."""
        return _DEGREE[mesh.value](self) if mesh is not None else 1

    def kernel(self, call: BlockCall) -> Kernel | None:
        """The kernel that runs this block call, if the plan has one for it."""
        if call.fused_by is None:
            return None
        chosen = dict(self.kernels).get(call.fused_by)
        return KERNELS[call.fused_by][chosen] if chosen is not None else None

    def recomputes(self, call: BlockCall) -> bool:
        """Whether the interior of this block call is gone after the forward pass."""
        return call.name in self.recompute or self.kernel(call) is not None

    @property
    def whole(self) -> Plan:
        """The same step on one device: what a quantity of the whole model is counted under."""
        padding = self.padding * self.tp
        return replace(
            self, tp=1, sp=False, pp=1, stage="", uneven=False, position=0, slices=(), cp=1, dp=1, ep=1,
            zero=0, padding=padding,
        )  # fmt: skip

    def trains(self, parameter: Tensor) -> bool:
        """Whether a parameter is trained: with adapters, they alone; it is not frozen, nor is a block around it."""
        if self.lora and parameter.role is not Role.ADAPTER:
            return False
        return parameter.name not in self.frozen and not any(call.name in self.frozen for call in parameter.blocks)

    def filled(self, kernels: tuple[tuple[str, str], ...], mask: str) -> Plan:
        """This plan with the model's own kernels and mask where the plan says nothing."""
        return replace(self, kernels=tuple((dict(kernels) | dict(self.kernels)).items()), mask=self.mask or mask)


_DEGREE: dict[str, Callable[[Plan], Any]] = {
    "tp": lambda plan: plan.tp,
    "sp": lambda plan: plan.tp if plan.sp else 1,
    "ep": lambda plan: plan.ep,
}


def _degree(key: str, text: str, symbol: Callable[[str], Any]) -> Any:
    if text == LETTERS.get(key):
        return symbol(text)
    try:
        return parse_positive_integer(text, key)
    except ValueTextError as error:
        wrong = f"write {KEYS[key].form}" if text[:1].isalpha() else error
        raise PlanError(f"plan {key}={text[:40]}: {wrong}") from None


def _choice(key: str, text: str, known: tuple[str, ...] | dict) -> str:
    if text not in known:
        raise unknown(f"value of {key}=", text, known)
    return text


def _names(_key: str, text: str) -> tuple[str, ...]:
    return tuple(sorted(set(text.split("+"))))  # so that plans written in another order are equal


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the plan's text: what it does, whether it takes a value, and how that value sets the plan."""

    about: str
    form: str
    read: Callable[[Plan, str, Callable[[str], Any]], Plan]

    @property
    def forms(self) -> tuple[str, ...]:
        """Texts of this key that can stand as they are."""
        key, _, values = self.form.replace(" or ", "|").partition("=")
        return tuple(f"{key}={value.removeprefix(key + '=')}" for value in values.split("|")) if values else (key,)


def _mask(plan: Plan, text: str, symbol: Callable[[str], Any]) -> Plan:
    chosen = _choice("mask", text, MASKS)
    return replace(plan, mask=chosen, squares=symbol(SQUARES) if chosen == "packed" else None)


def _variant(name: str) -> Callable[[Plan, str, Callable[[str], Any]], Plan]:
    return lambda plan, _text, _symbol: replace(plan, compose=tuple(sorted({*plan.compose, name})))


def _flag(name: str) -> Callable[[Plan, str, Callable[[str], Any]], Plan]:
    return lambda plan, _text, _symbol: replace(plan, **{name: True})


def _kernel(key: str) -> Callable[[Plan, str, Callable[[str], Any]], Plan]:
    return lambda plan, text, _symbol: replace(plan, kernels=(*plan.kernels, (key, _choice(key, text, KERNELS[key]))))


KEYS: dict[str, Key] = {
    "tp": Key("tensor parallel degree", "tp=8 or tp=t", lambda p, text, s: replace(p, tp=_degree("tp", text, s))),
    "sp": Key("sequence parallelism beside it", "sp", _flag("sp")),
    "pp": Key("pipeline parallel degree", "pp=4 or pp=p", lambda p, text, s: replace(p, pp=_degree("pp", text, s))),
    "cp": Key(
        "context parallel degree: each device has a part of every sequence (ring attention)",
        "cp=2",
        lambda p, text, s: replace(p, cp=_degree("cp", text, s)),
    ),
    "stage": Key(
        "the stage of the pipeline that a device runs",
        "stage=first|last",
        lambda p, text, _: replace(p, stage=_choice("stage", text, ("first", "last"))),
    ),
    "dp": Key("data parallel degree", "dp=8 or dp=n", lambda p, text, s: replace(p, dp=_degree("dp", text, s))),
    "ep": Key(
        "expert parallel degree: of the data parallel ranks, so many share the experts",
        "ep=8",
        lambda p, text, s: replace(p, ep=_degree("ep", text, s)),
    ),
    "zero": Key(
        "ZeRO stage: what is sharded over data parallel",
        f"zero={'|'.join(STAGES)}",
        lambda p, text, _: replace(p, zero=STAGES.index(_choice("zero", text, STAGES))),
    ),
    "recompute": Key(
        "blocks run again in the backward pass",
        "recompute=core",
        lambda p, text, _: replace(p, recompute=_names("", text)),
    ),
    "early-stop": Key("a recomputation stops at the last tensor that is needed", "early-stop", _flag("early_stop")),
    "attention": Key("how attention's core runs", f"attention={'|'.join(KERNELS['attention'])}", _kernel("attention")),
    "scan": Key("how a state-space layer's scan runs", f"scan={'|'.join(KERNELS['scan'])}", _kernel("scan")),
    "mask": Key(
        "which pairs of tokens count",
        f"mask={'|'.join(MASKS)}",
        _mask,
    ),
    "frozen": Key(
        "parameters, or blocks of them, that are not trained",
        "frozen=NAME",
        lambda p, text, _: replace(p, frozen=_names("", text)),
    ),
    "lora": Key(
        "rank of the adapters that are trained, and nothing else",
        "lora=16 or lora=r",
        lambda p, text, s: replace(p, lora=_degree("lora", text, s)),
    ),
    "adapted": Key(
        "linear layers that have adapters; without it, all of the layers",
        "adapted=query",
        lambda p, text, _: replace(p, adapted=_names("", text)),
    ),
    "mtp": Key("the modules of multi-token prediction are trained too", "mtp", _variant("mtp")),
    "absorbed": Key("latent attention works on the latent itself", "absorbed", _variant("absorbed")),
    "pad-vocab": Key(
        "the vocabulary is padded to a multiple of so many rows, times tp",
        "pad-vocab=128",
        lambda p, text, s: replace(p, padding=_degree("pad-vocab", text, s)),
    ),
}


def parse_plan(
    text: str, symbol: Callable[[str], Any], recipe: Recipe | None = None, optimizer: Optimizer | None = None
) -> Plan:
    """The plan that `text` writes: `tp=8,sp,recompute=core`, blocks joined by `+`; a letter as a degree stays symbolic.

    Raises `UnknownName` for an unknown key, letter or choice, `PlanError` for a key given twice, without or with a
    value it does not take, or a degree that is not a positive integer.

    >>> from sympy import Symbol
    >>> plan = parse_plan("tp=8,sp,recompute=core", Symbol)
    >>> plan.tp, plan.sp, plan.recompute
    (8, True, ('core',))
    """
    plan = Plan(recipe=recipe or RECIPES["bf16"], optimizer=optimizer or OPTIMIZERS["adamw"])
    seen: set[str] = set()
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = item.partition("=")
        if key not in KEYS:
            raise unknown("plan key", key, KEYS)
        form = KEYS[key].form
        if key in seen:
            raise PlanError(f"plan {text[:80]!r}: {key!r} is given twice")
        if bool(equals and value) != ("=" in form) or (equals and not value):
            raise PlanError(f"plan {text[:80]!r}: write {form}")
        seen.add(key)
        plan = KEYS[key].read(plan, value, symbol)
    return plan
