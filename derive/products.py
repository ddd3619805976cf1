"""Folds over the products of a trace: the FLOPs of each pass; and what is left when only products are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sympy import Expr, Min, Mul

from derive.errors import PlanError
from derive.folds import counted, multiplied, shard, share
from derive.kept import made_again, peeled, requiring_gradients
from derive.ledger import Ledger, Row
from derive.tensor import Contraction, Role, Tensor
from derive.tracing import STACK_INPUT, STACK_OUTPUT, Trace
from derive.units import dimensionless, flop

if TYPE_CHECKING:
    from derive.plan import Plan

# Pairs (query, key) that a mask lets through, of s queries and s keys. The causal triangle has s(s+1)/2 of them; papers
# write s²/2, so the half of the diagonal that they leave out is a row of its own, which a claim can neglect.
# A query reaches back over no more than r of the s tokens, where there is a window: then the i-th has min(i, r) pairs,
# r*s - r(r - 1)/2 together, with r = s the triangle. Of packed documents only the sum of their squared lengths, q,
# enters: a full reach within each.
PAIRS: dict[str, tuple[tuple[Callable[[Expr, Expr, Any], Expr], Role], ...]] = {
    "full": ((lambda s, r, _: s * r, Role.ACTIVATION),),
    "causal": ((lambda s, r, _: s * r - r**2 / 2, Role.ACTIVATION), (lambda _s, r, _: r / 2, Role.DIAGONAL)),
    "packed": ((lambda _s, _r, q: q / 2, Role.ACTIVATION), (lambda s, _r, _q: s / 2, Role.DIAGONAL)),
}


def product_flops(contraction: Contraction, plan: Plan) -> tuple[tuple[Expr, Role], ...]:
    """FLOPs of one contraction: a multiplication and an addition for each point of its distinct axes.

    The two axes that a mask thins out count the pairs that it lets through, the diagonal's surplus apart. Of an axis of
    alternatives each row meets one, so that it does not count.

    Raises `PlanError` for documents packed into a sequence where a window cuts off what an element reaches.
    """
    pair = contraction.masked or ()
    sizes = [shard(contraction.axes[name], plan) for name in _multiplied_axes(contraction) if name not in pair]
    if not pair:
        return ((2 * multiplied(sizes), Role.ACTIVATION),)
    length, window, mask = contraction.axes[pair[0]].size, contraction.window, plan.mask or "causal"
    if window is not None and plan.squares is not None:
        raise PlanError(f"mask=packed: the pairs within a window of {window} depend on the length of every document")
    reach = length if window is None else Min(length, window)
    pairs = [(count(length, reach, plan.squares), role) for count, role in PAIRS[mask]]
    return tuple((2 * multiplied(sizes) * count, role) for count, role in pairs)


def _multiplied_axes(contraction: Contraction) -> tuple[str, ...]:
    return tuple(name for name in contraction.distinct_axes if contraction.axes[name].picks is None)


def flops(traced: Trace, plan: Plan, *passes: str) -> Ledger:
    """FLOPs of all products in the given passes, one row a product: `forward`, `backward`, `recompute`.

    Backward differentiates each einsum: one product for every operand that needs a gradient. `recompute` is what the
    plan runs again, as `made_again` says, and what its kernels run beside the products that their blocks write.
    """
    stack = peeled(traced, plan) if set(passes) != {"forward"} else frozenset()
    rows = list(_products(traced, plan, passes))
    if not stack:
        return Ledger(tuple(row for row, _ in rows), flop)
    first = Counter((row.blocks, row.tensor, row.why) for row, tensor in _products(traced, plan, passes, first=True))
    amounts = []
    for row, tensor in rows:
        key = row.blocks, row.tensor, row.why
        first[key] -= 1
        there = first[key] >= 0 or tensor not in stack
        amounts.append(replace(row, value=row.value * share(tensor, plan, True, there)))
    return Ledger(tuple(amounts), flop)


def _products(
    traced: Trace, plan: Plan, passes: tuple[str, ...], *, first: bool = False
) -> Iterator[tuple[Row, Tensor]]:
    """A row for every product of the given passes, and the tensor that its operation makes."""
    gradients = requiring_gradients(traced, plan, first=first)
    again = made_again(traced, plan, first=first) if "recompute" in passes else Counter()
    for tensor in traced.tensors:
        if tensor.op is None or tensor.op.contraction is None:
            continue
        contraction, copies = tensor.op.contraction, Mul(*tensor.copies)
        products = {
            "forward": [(tensor.name, contraction)],
            "backward": [
                (f"gradient of {operand.name}", contraction.gradient(index))
                for index, operand in enumerate(tensor.op.inputs)
                if operand in gradients
            ]
            if tensor in gradients
            else [],
            "recompute": [(f"{tensor.name} again", contraction)] * again[tensor],
        }
        blocks = tuple(call.name for call in tensor.blocks)
        for name in passes:
            for what, product in products[name]:
                shape = (*tensor.copies, *(contraction.axes[axis].size for axis in _multiplied_axes(product)))
                for value, role in product_flops(product, plan):
                    why = f"{name}: {product.pattern}" + (", half the diagonal" if role is Role.DIAGONAL else "")
                    yield Row(blocks, what, shape, None, copies * value, why, role), tensor
    if "recompute" in passes:
        yield from _beside(traced, plan, gradients)


def _beside(traced: Trace, plan: Plan, gradients: set[Tensor]) -> Iterator[tuple[Row, Tensor]]:
    """A row for every product that a kernel runs beside those of its block, and the tensor that it is run for."""
    found = [
        tensor
        for tensor in traced.tensors
        if tensor.op is not None and tensor.op.instead and any(plan.kernel(call) for call in tensor.blocks)
    ]
    again = made_again(traced, replace(plan, kernels=())) if found else Counter()  # the kernel itself, all of it
    for tensor in found:
        assert tensor.op is not None
        blocks, copies = tuple(call.name for call in tensor.blocks), Mul(*tensor.copies)
        for each in tensor.op.instead:
            runs = [("", each.contraction)] * (1 + again[tensor])
            if tensor in gradients:
                by_what = {None: each.contraction} | {index: each.contraction.gradient(index) for index in (0, 1)}
                runs += [("gradient of an operand of ", by_what[index]) for index in (0, 1)]
                runs += [("once more for the gradients of ", by_what[index]) for index in each.again]
            for what, product in runs:
                shape = (*tensor.copies, *(product.axes[axis].size for axis in _multiplied_axes(product)))
                for value, role in product_flops(product, plan):
                    why = f"the kernel's own: {product.pattern}"
                    yield Row(blocks, f"{what}{each.name}", shape, None, copies * value, why, role), tensor


def pointwise(traced: Trace, plan: Plan) -> Ledger:
    """Elements that operations other than products write in the forward pass: what counting products leaves out.

    The residuals of fused kernels, such as a log-sum-exp, are left out: no operation of the layer writes them.
    """
    residuals = {each for tensor in traced.tensors if tensor.op is not None for each in tensor.op.residuals}
    rows = [
        counted(tensor, plan, tensor.op.name)
        for tensor in traced.tensors
        if tensor.op is not None
        and tensor.op.contraction is None
        and not tensor.op.free
        and tensor.op.collective is None
        and tensor.op.name not in (STACK_INPUT, STACK_OUTPUT)
        and tensor not in residuals
    ]
    return Ledger(tuple(rows), dimensionless)
