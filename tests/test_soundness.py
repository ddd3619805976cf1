"""What a hostile reader tried: none of it is ever shown as proved, and what a plan takes for granted is said."""

import json

import pytest

import derive.monomials
import derive.reading
import derive.verdict
from derive import (
    Citation,
    Input,
    Mesh,
    Plan,
    block,
    claims,
    einsum,
    linear,
    parse_plan,
    relu,
    repeat,
    saved,
    silu,
    square,
    trace,
)
from derive.cli import main
from derive.derivation import derivation
from derive.errors import ClaimError, ShapeError, UnknownName
from derive.products import flops, product_flops
from derive.proof.checker import Rejected, check
from derive.tree import to_lists
from derive.verdict import judge
from formulas import all_claims
from formulas.activations import model_activations
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.gemm import matmul_flops
from formulas.models import model
from formulas.notation import common
from formulas.parameters import embedding_parameters, layer_parameters

SOURCE = Citation("hostile2026", "paper", "Reader", 2026, "Attacks", "none")
LAYER = "2*h + 3*f*h + 2*a*d*h + 2*d*g*h"
sizes = {letter: common.symbol(letter) for letter in "sbhfadgL"}
b, f, h, s, L = (sizes[letter] for letter in "bfhsL")


def only(formula, text, **options):
    (claim,) = claims(SOURCE, formula, "here", rows={options.pop("plan", ""): text}, **options)
    return claim


@pytest.mark.parametrize("text", ["2*m*n*p*m^-0.5*n^(-0.9)", "2*m*n*p*m^(-1.5)*m", "2*m*n*p*p^(-0.5)"])
def test_a_fractional_power_is_never_rounded_away(text):
    assert judge(only(matmul_flops, text)).verdict != "proved"


def test_a_bound_letter_may_not_stand_for_a_size():
    claim = only(layer_parameters, LAYER, about=llama, letters={"f": embedding_parameters})
    with pytest.raises(ClaimError, match="hostile2026, here: f already is a letter of layer-parameters"):
        judge(claim)


@pytest.mark.parametrize(("letter", "value"), [("d", "1/2"), ("g", "2*a")])
def test_nothing_is_proved_of_no_model(letter, value):
    """A head width of one half, more key/value heads than query heads: true of the formula, but of no layer."""
    claim = only(layer_parameters, LAYER.replace(letter, f"({value})"), about=llama, given={letter: value})
    with pytest.raises(ClaimError, match=f"no model was found with {letter} = "):
        judge(claim)


def test_circular_hypotheses_stop_the_import():
    with pytest.raises(ClaimError, match="the relations go in circles"):
        only(layer_parameters, "2*f", about=llama, given={"h": "a*d", "d": "h/a"})


def test_a_misspelt_neglected_block_is_refused():
    with pytest.raises(UnknownName, match="unknown block 'finalnorm': did you mean 'final_norm'"):
        judge(only(layer_parameters, LAYER, about=llama, neglect={"finalnorm"}))


def test_a_claim_that_divides_by_zero_is_open():
    assert judge(only(layer_parameters, f"({LAYER})*(h - a)/(h - a)", about=llama)).verdict == "open"


@pytest.fixture
def misread(monkeypatch):
    """Rows are read seven times as large as they are, and what was read before or is read now is not kept."""
    held = (derive.monomials.terms_of, derive.reading._tree, derive.verdict.read_back)
    wrong = {kind: lambda each, rule=rule: times_seven(rule(each)) for kind, rule in derive.monomials.TERMS.items()}
    monkeypatch.setattr(derive.monomials, "TERMS", wrong)
    for each in held:
        each.cache_clear()
    yield
    for each in held:
        each.cache_clear()


@pytest.mark.usefixtures("misread")
def test_rows_are_compared_with_what_is_read():
    """Reading a row wrongly would put a false first line under every proof."""
    with pytest.raises(ClaimError, match="was read as"):
        derivation(layer_parameters, model("llama"), Plan().filled(llama.kernels, llama.mask))


@pytest.mark.usefixtures("misread")
def test_a_claim_is_compared_with_what_is_read():
    claim = only(layer_parameters, f"7*({LAYER})", about=llama)
    with pytest.raises(ClaimError, match="hostile2026, here: layer-parameters was read as"):
        judge(claim)


REFUTED = [claim for claim in all_claims() if judge(claim).verdict == "refuted"]


@pytest.mark.parametrize("claim", REFUTED, ids=lambda claim: f"{claim.source.key}: {claim.text}")
def test_nothing_is_refuted_where_both_sides_are_equal(claim):
    """At the point that is shown, the claimed and the derived value differ, and the checker does not accept both."""
    judgement = judge(claim)
    assert judgement.values_there is not None
    claimed, derived = judgement.values_there[:2]
    assert claimed != derived
    assert judgement.statement is not None
    with pytest.raises(Rejected):
        check(judgement.statement | {"steps": []})


def test_what_a_claim_defines_for_itself_is_a_hypothesis_of_it():
    """A letter that the quantity does not have: the claim is true of the sizes that its definition names alone."""
    judgement = judge(only(matmul_flops, "2*m*n*o", given={"o": "p"}))
    assert (judgement.verdict, list(judgement.hypotheses)) == ("proved", ["o"])
    with pytest.raises(ClaimError, match="no model was found with o = 1/2"):
        judge(only(matmul_flops, "4*m*n*p*o", given={"o": "1/2"}))


def times_seven(terms):
    return {monomial: 7 * value for monomial, value in terms.items()}


def test_a_hypothesis_that_fails_is_seen_through_symbols(capsys):
    assert main(["flops-per-token", "--model", "llama3-70b", "--symbolic", "--json"]) == 0
    found = {claim["source"]: claim for claim in json.loads(capsys.readouterr().out)["claims"]}
    assert found["deepseek2024"]["holds_here"] is False
    assert main(["layer-parameters", "--model", "llama", "--json"]) == 0
    (claim,) = [each for each in json.loads(capsys.readouterr().out)["claims"] if each["source"] == "train-ledger"]
    assert (claim["holds_here"], claim["undecided_here"]) == (None, ["d == h/a"])


def test_what_is_counted_too_much_is_under_hypotheses_that_hold(capsys):
    assert main(["flops-per-token", "--model", "gpt2", "--set", "s=512", "--plan", "mask=full", "--json"]) == 0
    (claim,) = [
        each
        for each in json.loads(capsys.readouterr().out)["claims"]
        if each["source"] == "chowdhery2022" and "N" in each["expression"] and each["verdict"] == "proved up to"
    ]
    assert claim["holds_here"] is False
    assert any(reason.startswith("S == s") for reason in claim["fails_here"])


# ---- traces ----


def made(function, *inputs, plan=""):
    return saved(trace(function, *inputs, sizes=sizes), parse_plan(plan, common.symbol)).value


X = Input("x", "s b h", split={"s": Mesh.SP})


def test_the_output_of_a_layer_is_the_input_of_the_next():
    """ReLU keeps its output, which the next layer's product needs too: L + 1 tensors of 2sbh, not 2L + 1."""

    def layer(y):
        return relu(linear(relu(linear(y, "h -> f", name="up")), "f -> h", name="down"))

    kept = made(lambda x: linear(repeat(layer, L, x), "h -> f", name="head"), X)
    assert (kept - (2 * L * b * f * s + 2 * (L + 1) * b * h * s)).expand() == 0


def test_a_stack_inside_a_recomputed_block_leaves_its_input():
    @block
    def group(x):
        return repeat(silu, L, x)

    assert made(lambda x: square(group(x)), X, plan="recompute=group") == 4 * b * h * s


def test_nothing_is_kept_where_nothing_is_trained():
    names = "+".join(sorted({t.name for t in gpt.model_trace.tensors if t.differentiable}))
    plan = parse_plan(f"frozen={names}", common.symbol)
    assert model_activations.ledger(model("gpt"), plan.filled(gpt.kernels, gpt.mask)).rows == ()
    backward = flops(gpt.model_trace, plan, "backward")
    assert backward.rows == ()
    assert flops_per_token.ledger(model("gpt"), plan).value != 0


def test_shards_of_a_sequence_are_gathered_where_they_must_meet():
    def attention(x):
        q, k = (linear(x, "h -> a d", name=name) for name in ("query", "key"))
        return einsum("q b a d, k b a d -> b a q k", q, k, name="scores")

    traced = trace(attention, X, sizes=sizes)
    scores = traced.tensors[-1]
    assert [axis.split for axis in scores.axes] == [None] * 4
    assert scores.op is not None
    assert scores.op.contraction is not None
    ((amount, _),) = product_flops(scores.op.contraction, parse_plan("tp=t,sp", common.symbol))
    assert amount == 2 * s**2 * b * sizes["a"] * sizes["d"]


def test_layouts_that_no_device_can_hold_are_refused():
    def both(x):
        up, query = linear(x, "h -> f", tp="f"), linear(x, "h -> a d", tp="a")
        return einsum("s b f, s b a d -> s b f a d", up, query)

    with pytest.raises(ShapeError, match="two axes of the result are split over the same devices"):
        trace(both, X, sizes=sizes)


def test_blocks_return_tensors():
    @block
    def nested(x):
        return x, (x,)

    with pytest.raises(ShapeError, match="block 'nested' must return a tensor or a flat tuple of tensors"):
        trace(nested, X, sizes=sizes)


def test_a_block_in_a_block_runs_again_with_both():
    """torch's nested checkpoints compute the inner one twice more."""

    @block
    def inner(x):
        return square(linear(x, "h -> f", name="up"))

    @block
    def outer(x):
        return square(linear(inner(x), "f -> h", name="down"))

    traced = trace(outer, X, sizes=sizes)
    again = flops(traced, parse_plan("recompute=inner+outer", common.symbol), "recompute").value
    assert again == 3 * (2 * s * b * h * f)


def test_a_vocabulary_is_taken_to_be_padded_only_where_letters_are_kept(capsys):
    arguments = ["logits", "--model", "gpt2", "--plan", "tp=2", "--json"]
    assert main([*arguments, "--symbolic"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["expression"], found["assumptions"]) == ("3*s*b*V", ["tp = 2 divides V"])
    assert main(arguments) == 2
    assert capsys.readouterr().err.endswith(
        "tp=2 does not divide V = 50257 (vocabulary): frameworks pad it, --plan pad-vocab=128 or --set V=50432\n"
    )
    assert main([*arguments, "--set", "V=50432"]) == 0


UP_TO = [claim for claim in all_claims() if judge(claim).verdict == "proved up to"]


@pytest.mark.parametrize("claim", UP_TO, ids=lambda claim: f"{claim.source.key}: {claim.text}")
def test_what_a_claim_is_up_to_is_part_of_what_was_proved(claim):
    """The checker accepts claim + left out = quantity + added, and not the claim alone."""
    judgement = judge(claim)
    assert judgement.certificate is not None
    assert check(judgement.certificate) == judgement.proof
    side, bare = ("left", claim.tree) if judgement.neglected is not None else ("right", judgement.derived)
    with pytest.raises(Rejected, match=r"^the steps do not show the relation$"):
        check({**judgement.certificate, side: to_lists(bare)})
