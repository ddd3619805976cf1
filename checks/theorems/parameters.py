"""Parameters: how exact 12Lh^2 is, what heads, gates and experts change, and what devices hold."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="parameters")
layer, total = partial(Of, "layer-parameters"), partial(Of, "parameters")
attention = partial(layer, about="llama", within="attention")
of_device = partial(Of, "device-parameters", "tp=t")
EXPERTS = (
    Letter("E", "experts of a layer"),
    Letter("k", "experts that a token uses"),
    Letter("X", "parameters of one expert"),
    Letter("Y", "parameters that every token uses"),
)

PARAMETERS = (
    theorem(
        "layer-of-12-h-squared",
        "a GPT layer has 12h^2 parameters in its matrices, and biases and norms of 13h",
        "N == 12*h^2*(1 + 13/(12*h))",
        {"N": layer(about="gpt")},
    ),
    theorem(
        "layer-error-of-12-h-squared",
        "from a width of 4096 on, 12h^2 misses less than 1/3780 of a GPT layer's parameters",
        "N/(12*h^2) - 1 < 1/3780",
        {"N": layer(about="gpt")},
        given=("h >= 4096",),
        witness={"h": 4096},
        needed={"h >= 4096": {"h": 1}},
    ),
    theorem(
        "model-in-megatrons-form",
        "Megatron's formula for a GPT's parameters leaves out the final norm alone, 2h",
        "N == 12*L*h^2*(1 + 13/(12*h) + (V + s)/(12*L*h)) + 2*h",
        {"N": total(about="gpt")},
    ),
    theorem(
        "model-error-of-12-l-h-squared",
        "of a GPT of 32 layers or more and a width of 4096 or more, with GPT-2's vocabulary and up to 8192 positions, "
        "12Lh^2 misses less than 4 percent",
        "N/(12*L*h^2) - 1 < 1/25",
        {"N": total(about="gpt")},
        given=("h >= 4096", "L >= 32", "V <= 50304", "s <= 8192"),
        witness={"h": 4096, "L": 32},
        needed={
            "h >= 4096": {"h": 1},
            "L >= 32": {"L": 1, "V": 50304},
            "V <= 50304": {"V": 100000},
            "s <= 8192": {"s": 100000},
        },
    ),
    theorem(
        "layer-by-layer",
        "one more layer adds a layer's parameters, wherever it is",
        "deeper == N + N_1",
        {"deeper": total(about="llama", at={"L": "L + 1"}), "N": total(about="llama"), "N_1": layer(about="llama")},
    ),
    theorem(
        "wider-has-more",
        "a wider GPT has more parameters",
        "N < wider",
        {"N": total(about="gpt"), "wider": total(about="gpt", at={"h": "h + 1"})},
    ),
    theorem(
        "tied-token",
        "one more token costs h parameters where the table is the head's weight too",
        "more == N + h",
        {"more": total(about="gpt", at={"V": "V + 1"}), "N": total(about="gpt")},
    ),
    theorem(
        "untied-token",
        "one more token costs 2h parameters where table and head are two",
        "more == N + 2*h",
        {"more": total(about="llama", at={"V": "V + 1"}), "N": total(about="llama")},
    ),
    theorem(
        "multi-head-attention-has-4-h-squared",
        "with as many key/value heads as query heads, which make up h, attention has four matrices of h by h",
        "N == 4*h^2",
        {"N": attention()},
        given=("g == a", "h == a*d"),
    ),
    theorem(
        "grouped-heads-never-have-more",
        "grouped-query attention never has more parameters than multi-head attention",
        "grouped <= whole",
        {"grouped": attention(), "whole": attention(at={"g": "a"})},
        given=("g <= a",),
        equality={"g": 2, "a": 2},
        needed={"g <= a": {"g": 2}},
    ),
    theorem(
        "key-value-head",
        "every key/value head costs 2hd parameters",
        "more == N + 2*h*d",
        {"more": attention(at={"g": "g + 1"}), "N": attention()},
    ),
    theorem(
        "gated-mlp-of-two-thirds",
        "a gated MLP of width 8h/3 has the matrices' parameters of a plain one of width 4h, which has biases of 5h too",
        "gated + 5*h == plain",
        {
            "gated": layer(about="llama", within="mlp", at={"f": "8*h/3"}),
            "plain": layer(about="gpt", within="mlp"),
        },
    ),
    theorem(
        "some-do-not-multiply",
        "a model has more parameters than are weights of matrix products: tables and norms",
        "multiplied < N",
        {"multiplied": Of("gemm-parameters", about="llama"), "N": total(about="llama")},
    ),
    theorem(
        "embedding-counted",
        "without its tables a GPT is its layers and the final norm: what counting the embedding or not comes to",
        "N - E == L*N_1 + 2*h",
        {"N": total(about="gpt"), "E": Of("embedding-parameters", about="gpt"), "N_1": layer(about="gpt")},
    ),
    theorem(
        "share-of-tables-falls",
        "the deeper a model, the smaller the share of its tables",
        "E/deeper < E/N",
        {
            "E": Of("embedding-parameters", about="llama"),
            "N": total(about="llama"),
            "deeper": total(about="llama", at={"L": "L + 1"}),
        },
    ),
    theorem(
        "shards-make-the-model",
        "the shards of t devices are the model, and t - 1 times more than once what each holds whole: the norms",
        "t*N_t == N + (t - 1)*h*(2*L + 1)",
        {"N_t": of_device(about="llama"), "N": total(about="llama")},
    ),
    theorem(
        "a-device-never-holds-more",
        "tensor parallelism never puts more parameters on a device than the model has",
        "N_t <= N",
        {"N_t": of_device(about="llama"), "N": total(about="llama")},
        equality={"t": 1},
    ),
    theorem(
        "a-device-holds-at-least-its-part",
        "no device of t holds less than a t-th of the model",
        "N/t <= N_t",
        {"N_t": of_device(about="gpt"), "N": total(about="gpt")},
        equality={"t": 1},
    ),
    theorem(
        "active-at-most-all",
        "a token of a mixture of experts never uses more parameters than there are",
        "k*X + Y <= E*X + Y",
        letters=EXPERTS,
        given=("k <= E",),
        equality={"k": 2, "E": 2},
        needed={"k <= E": {"k": 2}},
    ),
    theorem(
        "active-share-at-least-that-of-experts",
        "the share of the parameters that a token uses is at least the share of the experts that it uses",
        "k/E <= (k*X + Y)/(E*X + Y)",
        letters=EXPERTS,
        given=("k <= E",),
        equality={"k": 2, "E": 2},
        needed={"k <= E": {"k": 2}},
    ),
)
