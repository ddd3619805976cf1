"""THE letters: Korthikanti's and Megatron's, in reading order; a topic's own letters win over the common ones there."""

from derive.letters import Letter, notation

COMMON = (
    Letter("L", "layers"),
    Letter("a", "query heads"),
    Letter("g", "key/value heads"),
    Letter("s", "sequence length, tokens"),
    Letter("b", "micro-batch, sequences"),
    Letter("d", "head width"),
    Letter("h", "hidden size"),
    Letter("f", "feed-forward width"),
    Letter("V", "vocabulary"),
    Letter("S", "rows of the learned position table: the longest sequence"),
    Letter("t", "tensor parallel degree", plan_key="tp"),
    Letter("N", "parameters", unit="parameter"),
)

# The sizes of one matrix product, as in 2mnp.
GEMM = (
    Letter("m", "rows of the first matrix"),
    Letter("n", "columns of the first matrix, rows of the second"),
    Letter("p", "columns of the second matrix"),
)

TOPICS = {"gemm": GEMM}

common = notation(COMMON)


def notation_of(topic: str):
    """The letters that the formulas of `topic` may use: its own, then the common ones."""
    return notation(TOPICS.get(topic, ()), COMMON)
