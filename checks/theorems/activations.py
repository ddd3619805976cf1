"""Activations: Korthikanti's formulas, what parallelism, recomputation and kernels save, and how they grow."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(Theorem, topic="activations", letters=(Letter("c", "factor"),))
kept = partial(Of, "activations", about="gpt")
whole = partial(Of, "model-activations", about="gpt")
llama = partial(Of, "activations", about="llama")

ACTIVATIONS = (
    theorem(
        "layer-of-34",
        "a GPT layer keeps sbh(34 + 5as/h) bytes, and the norms' statistics, 16 bytes for each token",
        "A == s*b*h*(34 + 5*a*s/h) + 16*s*b",
        {"A": kept()},
    ),
    theorem(
        "layer-of-any-width",
        "with an MLP of any width the 34 is 18 + 4f/h",
        "A == s*b*h*(18 + 4*f/h + 5*a*s/h) + 16*s*b",
        {"A": kept(free=True)},
        given=("g == a", "h == a*d"),
    ),
    theorem(
        "34-is-18-and-16",
        "an MLP of four times the model's width makes 18 + 4f/h the 34 of the paper",
        "18 + 4*f/h == 34",
        given=("f == 4*h",),
    ),
    theorem(
        "layer-under-tensor-parallelism",
        "tensor parallelism leaves 10 of the 34 whole, and the statistics",
        "A_t == s*b*h*(10 + 24/t + 5*a*s/(h*t)) + 16*s*b",
        {"A_t": kept("tp=t")},
    ),
    theorem(
        "sequence-parallelism-shards-all",
        "with sequence parallelism t devices keep together what one device keeps alone",
        "t*A_s == A",
        {"A_s": kept("tp=t,sp"), "A": kept()},
    ),
    theorem(
        "sequence-parallelism-never-keeps-more",
        "with sequence parallelism a device never keeps more than with tensor parallelism alone",
        "A_s <= A_t",
        {"A_s": kept("tp=t,sp"), "A_t": kept("tp=t")},
        equality={"t": 1},
    ),
    theorem(
        "34-over-t-at-most-10-and-24-over-t",
        "in the paper's coefficients: 34/t is never more than 10 + 24/t",
        "34/t <= 10 + 24/t",
        equality={"t": 1},
    ),
    theorem(
        "what-sequence-parallelism-saves",
        "sequence parallelism saves 1 - 1/t of what tensor parallelism leaves whole: the 10, and the statistics",
        "A_t - A_s == (1 - 1/t)*(10*s*b*h + 16*s*b)",
        {"A_t": kept("tp=t"), "A_s": kept("tp=t,sp")},
    ),
    theorem(
        "tensor-parallelism-never-keeps-more",
        "under tensor parallelism a device never keeps more than one device alone",
        "A_t <= A",
        {"A_t": kept("tp=t"), "A": kept()},
        equality={"t": 1},
    ),
    theorem(
        "tensor-parallelism-has-a-floor",
        "without sequence parallelism a device keeps more than 10sbh, however many devices there are",
        "10*s*b*h < A_t",
        {"A_t": kept("tp=t")},
    ),
    theorem(
        "selective-saves-the-core",
        "selective recomputation saves the 5as^2b of attention's core, and nothing else",
        "A - A_c == 5*a*s^2*b",
        {"A": kept(), "A_c": kept("recompute=core")},
    ),
    theorem(
        "selective-keeps-less",
        "selective recomputation keeps less than no recomputation, also of a Llama layer whose core is written out",
        "A_c < A",
        {"A": llama("attention=materialised"), "A_c": llama("attention=materialised,recompute=core")},
    ),
    theorem(
        "selective-halves-from-a-length-on",
        "from a sequence on whose scores take what all else takes, selective recomputation keeps at most half",
        "2*A_c <= A",
        {"A": kept(), "A_c": kept("recompute=core")},
        given=("s >= (34*h + 16)/(5*a)",),
        witness={"a": 10},
        equality={"a": 10, "s": 1, "h": 1},
        needed={"s >= (34*h + 16)/(5*a)": {"a": 1}},
    ),
    theorem(
        "full-keeps-least",
        "full recomputation keeps less than selective recomputation: a layer's input alone",
        "A_l < A_c",
        {"A_l": kept("recompute=layer"), "A_c": kept("recompute=core")},
    ),
    theorem(
        "full-keeps-a-seventeenth",
        "full recomputation keeps less than a 17th of what a layer keeps without it",
        "17*A_l < A",
        {"A_l": kept("recompute=layer"), "A": kept()},
    ),
    theorem(
        "flash-keeps-less",
        "flash attention keeps less than attention that writes its scores out",
        "A_f < A",
        {"A_f": kept("attention=flash"), "A": kept()},
    ),
    theorem(
        "what-flash-saves",
        "flash attention keeps a log-sum-exp of 4 bytes for each row of the scores; their softmax, its dropped copy "
        "and its mask, 5 bytes a score, are gone",
        "A - A_f == a*s*b*(5*s - 4)",
        {"A_f": kept("attention=flash"), "A": kept()},
    ),
    theorem(
        "flash-is-linear-in-the-sequence",
        "with flash attention c times the tokens keep c times the bytes",
        "longer == c*A_f",
        {"longer": kept("attention=flash", at={"s": "c*s"}), "A_f": kept("attention=flash")},
    ),
    theorem(
        "longer-keeps-more-than-in-proportion",
        "with the scores kept, twice the sequence keeps more than twice the bytes",
        "2*A < longer",
        {"A": kept(), "longer": kept(at={"s": "2*s"})},
    ),
    theorem(
        "longer-keeps-more",
        "a longer sequence keeps more",
        "A < longer",
        {"A": llama(), "longer": llama(at={"s": "s + 1"})},
    ),
    theorem(
        "wider-keeps-more",
        "a wider layer keeps more",
        "A < wider",
        {"A": kept(), "wider": kept(at={"h": "h + 1"})},
    ),
    theorem(
        "batch-is-linear",
        "c times the sequences of a micro-batch keep c times the bytes",
        "more == c*A",
        {"more": kept(at={"b": "c*b"}), "A": kept()},
    ),
    theorem(
        "grouped-heads-never-keep-more",
        "with grouped key/value heads a layer never keeps more than with one for each query head",
        "A <= A_a",
        {"A": llama(), "A_a": llama(at={"g": "a"})},
        given=("g <= a",),
        equality={"g": 2, "a": 2},
        needed={"g <= a": {"g": 2}},
    ),
    theorem(
        "fp32-at-most-doubles",
        "in fp32 a layer keeps less than twice what it keeps in bf16: masks and statistics stay as they are",
        "A_32 < 2*A",
        {"A_32": kept(recipe="fp32"), "A": kept()},
    ),
    theorem(
        "model-layer-by-layer",
        "one more layer keeps a layer's bytes more",
        "deeper == A_m + A",
        {"deeper": whole(at={"L": "L + 1"}), "A_m": whole(), "A": kept()},
    ),
    theorem(
        "ends-keep-too",
        "a model keeps more than its layers do: its embedding, its last norm and its loss",
        "L*A < A_m",
        {"A": kept(), "A_m": whole()},
    ),
    theorem(
        "logits-in-layer-inputs",
        "the logits, with their fp32 copy, take as much as 3V/h inputs of a layer",
        "X/c_1 == 3*V/h",
        {"X": Of("logits", about="gpt"), "c_1": Of("layer-input-bytes", about="gpt")},
    ),
    theorem(
        "blocks-are-not-all",
        "attention and MLP keep less than their layer, which has norms",
        "A_a + A_m < A",
        {
            "A_a": Of("attention-activations", about="llama"),
            "A_m": Of("mlp-activations", about="llama"),
            "A": llama(),
        },
    ),
)
