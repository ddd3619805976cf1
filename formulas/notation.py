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

# What a plan runs again, and what it keeps instead.
RECOMPUTE = (
    Letter("X", "FLOPs run again for the backward pass, for each trained token", unit="FLOP/token", kind=REAL),
    Letter("c", "bytes of a boundary: what is kept of a segment that is run again, its input", unit="byte", kind=REAL),
    Letter("A", "bytes that one layer keeps, its input included", unit="byte", kind=REAL),
    Letter("k", "layers of a segment that is run again as a whole"),
)

# One step on one device, and the device's memory.
MEMORY = (
    Letter("S", "bytes that stay for the whole run: weights and the optimizer's tensors", unit="byte", kind=REAL),
    Letter("R", "bytes of the gradients", unit="byte", kind=REAL),
    Letter("A", "bytes that the forward pass keeps for the backward pass", unit="byte", kind=REAL),
    Letter("X", "bytes that live at the loss and are not kept", unit="byte", kind=REAL),
    Letter("K", "bytes that one recomputed layer holds while it is run again", unit="byte", kind=REAL),
    Letter("Z", "bytes of a layer that is gathered while it runs", unit="byte", kind=REAL),
    Letter("c", "bytes of the CUDA context", unit="byte", kind=REAL),
    Letter("q", "bytes of NCCL's communicators", unit="byte", kind=REAL),
    Letter("w", "bytes of library workspaces", unit="byte", kind=REAL),
    Letter("phi", "share of the reserved memory that fragmentation loses", kind=REAL, latex=r"\varphi", most=1),
    Letter("r", "bytes that a program asks the allocator for", unit="byte"),
)

TOPICS = {"gemm": GEMM, "recompute": RECOMPUTE, "memory": MEMORY}

common = notation(COMMON)


def notation_of(topic: str):
    """The letters that the formulas of `topic` may use: its own, then the common ones."""
    return notation(TOPICS.get(topic, ()), COMMON)
