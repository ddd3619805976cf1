"""THE letters: Korthikanti's and Megatron's, in reading order; a topic's own letters win over the common ones there."""

from derive.letters import Letter, notation

REAL = "positive real"

COMMON = (
    Letter("L", "layers"),
    Letter("a", "query heads"),
    Letter("g", "key/value heads"),
    Letter("s", "sequence length, tokens"),
    Letter("b", "micro-batch, sequences", option="micro-batch"),
    Letter("d", "head width"),
    Letter("h", "hidden size"),
    Letter("f", "feed-forward width"),
    Letter("V", "vocabulary"),
    Letter("S", "rows of the learned position table: the longest sequence"),
    Letter("t", "tensor parallel degree", plan_key="tp"),
    Letter("p", "pipeline parallel degree", plan_key="pp"),
    Letter("n", "data parallel degree", plan_key="dp"),
    Letter("v", "virtual stages, of a device in an interleaved pipeline"),
    Letter("m", "micro-batches a step"),
    Letter("N", "parameters", unit="parameter", option="params"),
    Letter("F", "FLOPs for each trained token", unit="FLOP/token", kind=REAL),
    Letter("D", "training tokens", unit="token", option="tokens"),
    Letter("C", "training FLOPs", unit="FLOP", kind=REAL),
    Letter("B", "global batch, tokens a step", unit="token", option="batch"),
    Letter("G", "devices", unit="device", option="gpus"),
    Letter("P", "peak of a device, FLOP/s", unit="FLOP/second/device", kind=REAL, option="peak"),
    Letter("W", "memory bandwidth of a device, byte/s", unit="byte/second/device", kind=REAL),
    Letter("M", "memory of a device as its driver reports it, bytes", unit="byte", kind=REAL),
    Letter("eta", "MFU: model FLOPs over what devices could do at their peak", kind=REAL, option="mfu", most=1),
    Letter("T", "time, seconds", unit="second", kind=REAL),
    Letter("H", "device-hours", unit="device*hour", kind=REAL),
    Letter("R", "price of a device for an hour, dollars", unit="dollar/device/hour", kind=REAL, option="price"),
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
