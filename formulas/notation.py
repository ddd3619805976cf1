"""THE letters: Korthikanti's and Megatron's, in reading order; a topic's own letters win over the common ones there."""

from derive.letters import Letter, notation

REAL = "positive real"

COMMON = (
    Letter("L", "layers"),
    Letter("L_w", "layers whose attention has a window"),
    Letter("L_f", "layers whose attention has none, where others have one"),
    Letter("L_d", "dense layers, where others have experts"),
    Letter("L_e", "layers with experts, where others have none"),
    Letter("L_m", "modules of multi-token prediction"),
    Letter("E", "experts, of which each token is routed to some"),
    Letter("k", "experts that a token is routed to"),
    Letter("E_s", "shared experts, which every token uses"),
    Letter("a", "query heads"),
    Letter("g", "key/value heads, or state-space groups"),
    Letter("s", "sequence length, tokens"),
    Letter("q_2", "sum of the squared lengths of the documents that are packed into a sequence"),
    Letter("w", "attention window, tokens"),
    Letter("b", "micro-batch, sequences", option="micro-batch"),
    Letter("d", "head width"),
    Letter("d_nope", "part of the width of a query or key that has no positions"),
    Letter("d_rope", "part of the width of a query or key that is rotated"),
    Letter("d_v", "width of a value head"),
    Letter("r_q", "latent of the queries, elements a token"),
    Letter("r_kv", "latent of keys and values together, elements a token"),
    Letter("h", "hidden size"),
    Letter("h_e", "width of the token table, where it is not the hidden size"),
    Letter("h_i", "inner width of a state-space layer"),
    Letter("n_s", "state of one channel of a state-space layer, elements"),
    Letter("k_c", "width of a convolution over tokens"),
    Letter("q_c", "tokens of a chunk of a state-space layer's scan"),
    Letter("r_dt", "rank of the step size of a state-space layer"),
    Letter("r", "rank of adapters", plan_key="lora"),
    Letter("f", "feed-forward width"),
    Letter("f_e", "feed-forward width of one expert"),
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
    Letter("o", "storage offset of a view, elements", least=0),
    Letter("i", "row of an element, counted from 0", least=0),
    Letter("j", "column of an element, counted from 0", least=0),
    Letter("s_0", "stride of the rows: elements from one row to the next", least=0),
    Letter("s_1", "stride of the columns: elements from one column to the next", least=0),
)

# What training holds for every parameter, and what of it is written to disk.
STATES = (
    Letter("K", "bytes that the optimizer holds for each parameter", unit="byte/parameter", kind=REAL),
    Letter("Q", "bytes that training holds for each parameter", unit="byte/parameter", kind=REAL),
    Letter("Y", "parameters of the largest layer", unit="parameter"),
    Letter("w", "copies of the model's weights in a checkpoint beside their master", kind=REAL, most=1),
)

# What a plan runs again, and what it keeps instead.
RECOMPUTE = (
    Letter("X", "FLOPs run again for the backward pass, for each trained token", unit="FLOP/token", kind=REAL),
    Letter("c", "bytes of a boundary: what is kept of a segment that is run again, its input", unit="byte", kind=REAL),
    Letter("A", "bytes that one layer keeps, its input included", unit="byte", kind=REAL),
    Letter("k_s", "layers of a segment that is run again as a whole"),
    Letter("k0", "the segment's length that keeps least", kind=REAL, latex="k_0"),
)

# One step on one device, and the device's memory.
MEMORY = (
    Letter("M_r", "bytes of the states that stay: weights and the optimizer's tensors", unit="byte", kind=REAL),
    Letter("M_g", "bytes of the gradients", unit="byte", kind=REAL),
    Letter("A", "bytes that the forward pass keeps for the backward pass", unit="byte", kind=REAL),
    Letter("X", "bytes that live at the loss and are not kept", unit="byte", kind=REAL),
    Letter("K", "bytes that one recomputed layer holds while it is run again", unit="byte", kind=REAL),
    Letter("Z", "bytes of a layer that is gathered while it runs", unit="byte", kind=REAL),
    Letter("U", "bytes that one layer's backward pass has beside what was kept of it", unit="byte", kind=REAL),
    Letter("J", "bytes of activations and of gradients of layers that are never there at once", unit="byte", kind=REAL),
    Letter("c", "bytes of the CUDA context", unit="byte", kind=REAL),
    Letter("q", "bytes of NCCL's communicators", unit="byte", kind=REAL),
    Letter("x_w", "bytes of library workspaces", unit="byte", kind=REAL),
    Letter("phi", "share of the reserved memory that fragmentation loses", kind=REAL, latex=r"\varphi", most=1),
    Letter("x_r", "bytes that a program asks the allocator for", unit="byte"),
    Letter("u", "cuBLAS handles, each on a stream"),
    Letter("y", "channels of NCCL's communicators, all of them together"),
)

# How much of its peak a device reaches, over one step or over a whole job.
UTILIZATION = (
    Letter("Q", "FLOP/s of a device that serve the model", unit="FLOP/second/device", kind=REAL),
    Letter("T", "time of one step, seconds; where it is said, of the whole job", unit="second", kind=REAL),
    Letter("rho", "FLOPs that hardware runs over those that the model needs", kind=REAL),
    Letter("X", "FLOPs run again for the backward pass, for each trained token", unit="FLOP/token", kind=REAL),
    Letter("u", "share of the elapsed time in which steps advance the job", kind=REAL, most=1),
)

# How long a run takes, and how often it saves its state.
TIME = (
    Letter("delta", "time to write a checkpoint, seconds", unit="second", kind=REAL),
    Letter("tau", "mean time between failures of the job, seconds", unit="second", kind=REAL),
    Letter("x", "time between two checkpoints, seconds", unit="second", kind=REAL),
    Letter("x_0", "the best time between two checkpoints, seconds", unit="second", kind=REAL),
)

# The loss as a fitted law of parameters and tokens.
SCALING = (
    Letter("E", "loss that no model and no data get below, nats a token", kind=REAL),
    Letter("alpha", "exponent of the parameters in the fitted loss", kind=REAL),
    Letter("A", "weight of the parameters in the fitted loss", kind=REAL),
    Letter("beta", "exponent of the tokens in the fitted loss", kind=REAL),
    Letter("B", "weight of the tokens in the fitted loss", kind=REAL),
    Letter("z", "tokens that the trained model serves", unit="token"),
    Letter("U", "tokens that the data set has, each counted once", unit="token"),
    Letter("r", "repetitions of the data set whose worth has fallen to 1/e", kind=REAL),
    Letter("e", "base of the natural logarithm", kind=REAL),
    Letter("ln_N", "logarithm of N", kind=REAL, latex=r"\ln N"),
    Letter("ln_D", "logarithm of D", kind=REAL, latex=r"\ln D"),
    Letter("ln_C", "logarithm of C/6, FLOPs for 6 a parameter and token", kind=REAL, latex=r"\ln\frac{C}{6}"),
    Letter("ln_A", "logarithm of alpha*A", kind=REAL, latex=r"\ln(\alpha A)"),
    Letter("ln_B", "logarithm of beta*B", kind=REAL, latex=r"\ln(\beta B)"),
    Letter("y", "logarithm of N^alpha/(alpha*A), and at the optimum of D^beta/(beta*B) too", kind=REAL),
)

# One step of a pipeline.
PARALLELISM = (
    Letter("t_f", "time of one micro-batch's forward pass on one device, seconds", unit="second", kind=REAL),
    Letter("t_b", "time of one micro-batch's backward pass on one device, seconds", unit="second", kind=REAL),
    Letter("t_w", "the part of t_b that makes the weights' gradients, seconds", unit="second", kind=REAL),
    Letter("t_o", "time of a forward and a backward pass that overlap, seconds", unit="second", kind=REAL),
    Letter("t_id", "time of a step in which no device waits, seconds", unit="second", kind=REAL),
    Letter("t_pb", "time that a device waits in a step: the pipeline bubble, seconds", unit="second", kind=REAL),
)

# Serving: what one more token costs.
INFERENCE = (
    Letter("X", "FLOPs of one decoded token", unit="FLOP/token", kind=REAL),
    Letter("Q", "bytes read for one decoded token", unit="byte/token", kind=REAL),
    Letter("K", "bytes that training holds for each parameter", unit="byte/parameter", kind=REAL),
    Letter("q", "bytes that inference holds for each parameter", unit="byte/parameter", kind=REAL),
)

# Token files, and the windows that batches are drawn from.
DATA = (
    Letter("y", "bytes of one stored token", unit="byte/token"),
    Letter("l", "tokens of the file that windows are drawn from"),
    Letter("n", "windows of one pass: the file's tokens over those of a window"),
)

# The scale of random weights.
INIT = (
    Letter("d", "inputs of a weight matrix: products that each output adds up"),
    Letter("d_in", "inputs of a weight matrix"),
    Letter("d_out", "outputs of a weight matrix"),
    Letter("x", "variance of an input", kind=REAL),
    Letter("tau", "variance of a weight; of a residual stream, that of what one branch adds", kind=REAL),
)

# A product or another operation on one device, between its arithmetic and its memory.
ROOFLINE = (
    Letter("m", "rows of the first matrix"),
    Letter("n", "elements of a vector, rows of a square matrix; of a product, what is summed over"),
    Letter("p", "columns of the second matrix"),
    Letter("I", "arithmetic intensity: operations for each byte that is moved", unit="FLOP/byte", kind=REAL),
)

# A floating-point format by its parts; a stored exponent is above the real one by the bias.
FORMATS = (
    Letter("e", "bits of the exponent"),
    Letter("m", "bits of the mantissa that are stored"),
    Letter("x", "bias of the exponent"),
    Letter("k", "values that share a scale"),
    Letter("z", "bits of a shared scale"),
)

TOPICS = {
    "gemm": GEMM,
    "states": STATES,
    "recompute": RECOMPUTE,
    "memory": MEMORY,
    "utilization": UTILIZATION,
    "time": TIME,
    "scaling": SCALING,
    "roofline": ROOFLINE,
    "parallelism": PARALLELISM,
    "inference": INFERENCE,
    "formats": FORMATS,
    "data": DATA,
    "init": INIT,
}

common = notation(COMMON)


def notation_of(topic: str):
    """The letters that the formulas of `topic` may use: its own, then the common ones."""
    return notation(TOPICS.get(topic, ()), COMMON)
