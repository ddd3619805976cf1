"""Chinese notes of a Stanford CS336 lecture on PyTorch and resource accounting."""

from derive import Citation, claims
from formulas.architectures.gpt import gpt
from formulas.data import dataset_bytes, token_bytes, window_coverage, window_starts
from formulas.formats import float_values
from formulas.gemm import matmul_backward_flops, matmul_flops, strided_offset, tensor_bytes
from formulas.inference import training_inference_ratio
from formulas.init import init_scale, relu_moment, residual_scale, xavier_scale
from formulas.recompute import checkpoint_interval, checkpointed_bytes, recompute_factor
from formulas.roofline import (
    arithmetic_intensity,
    attainable_flops,
    compute_bound_size,
    dot_intensity,
    gelu_intensity,
    machine_balance,
    matvec_intensity,
    mfu_bound,
    relu_intensity,
)
from formulas.scaling import training_flops
from formulas.states import bytes_per_parameter, states
from formulas.time import training_time

lecture = Citation(
    key="lecture",
    kind="article",
    authors="Lecture notes",
    year=2026,
    title="PyTorch 与资源核算 (PyTorch and resource accounting), lecture 2 of Stanford CS336",
    locator="notes of the lecture",
)

# Sections 1, 3 and 10: bytes a parameter.

twelve = claims(
    lecture, bytes_per_parameter, "section 1, question two: weights, gradients and AdamW's moments",
    recipe="bf16-no-master", rows={"": "2 + 2 + (4 + 4)"},
)  # fmt: skip

twelve_with_master = claims(
    lecture, bytes_per_parameter, "section 1, question two, for mixed precision with its master weights",
    expected="refuted", rows={"": "2 + 2 + (4 + 4)"},
    note="the fp32 master of its own section on mixed precision is left out: 4 bytes",
)  # fmt: skip

fp32_is_twice = claims(
    lecture, states, "section 3: fp32 training takes twice the memory", recipe="fp32", expected="refuted",
    rows={"": "2*12*N"}, note="16*N: 4/3 of its own 12*N, and as much as mixed precision with a master",
)  # fmt: skip

adagrad = claims(
    lecture, bytes_per_parameter, "section 10: the toy network's weights, gradients and sum of squares",
    recipe="bf16-no-master", optimizer="adagrad", rows={"": "2 + 2 + 4"},
)  # fmt: skip

training_over_inference = claims(
    lecture, training_inference_ratio, "section 10: 12N over 2N", recipe="bf16-no-master", rows={"": "6"}
)

training_over_inference_with_master = claims(
    lecture, training_inference_ratio, "section 10: 12N over 2N, where there is a master", expected="refuted",
    rows={"": "6"}, note="16 over 2 is 8",
)  # fmt: skip

# Sections 2 and 4: one tensor.

memory = claims(
    lecture, tensor_bytes, "section 2: elements times their width, in fp32", recipe="fp32", rows={"": "m*n*4"}
)

place = claims(lecture, strided_offset, "section 4: where x[i, j] lies", rows={"": "o + i*s_0 + j*s_1"})

# Sections 7 and 9: products.

product = claims(lecture, matmul_flops, "section 7: 2mnp", rows={"": "2*m*n*p"})

backward = claims(
    lecture, matmul_backward_flops, "section 9: both gradients of h2 = h1 W2", rows={"": "2*m*n*p + 2*m*n*p"}
)

first_layer = claims(
    lecture, matmul_backward_flops, "section 9: every weight goes through the same", expected="refuted",
    rows={"frozen=x": "2*m*n*p + 2*m*n*p"},
    note="nothing needs the gradient of the data: the first layer makes that of its weight alone",
)  # fmt: skip

compute = claims(lecture, training_flops, "section 9: 2ND forward and 4ND backward", rows={"": "2*N*D + 4*N*D"})

duration = claims(lecture, training_time, "section 1, question one", rows={"": "6*N*D/(G*P*eta)"})

# Section 8: the roofline.

balance = claims(lecture, machine_balance, "section 8: the accelerator's intensity", rows={"": "P/W"})

of_relu = claims(lecture, relu_intensity, "section 8, example 1", rows={"": "1/(2 + 2)"})

of_gelu = claims(lecture, gelu_intensity, "section 8, example 2", rows={"": "20/(2 + 2)"})

of_dot = claims(lecture, dot_intensity, "section 8, example 3", rows={"": "(2*n - 1)/(2*n + 2*n + 2)"})

of_matvec = claims(lecture, matvec_intensity, "section 8, example 4", rows={"": "n*(2*n - 1)/(2*n + 2*n*n + 2*n)"})

of_matmul = claims(
    lecture, arithmetic_intensity, "section 8, example 5", given={"m": "n", "p": "n"},
    rows={"": "n*n*(2*n - 1)/(2*n*n + 2*n*n + 2*n*n)"},
)  # fmt: skip

of_large_matmul = claims(
    lecture, arithmetic_intensity, "section 8, example 5: n/3", given={"m": "n", "p": "n"}, expected="refuted",
    rows={"": "n/3"}, note="1/6 too much: of the 2n operations of a result one addition is not there",
)  # fmt: skip

limit_of_matvec = claims(
    lecture, matvec_intensity, "section 8, example 4: 1", expected="refuted", rows={"": "1"},
    note="the limit of large n, 5/(2n + 4) above",
)  # fmt: skip

limit_of_dot = claims(
    lecture, dot_intensity, "section 8, example 3: 1/2", expected="refuted", rows={"": "1/2"},
    note="the limit of large n, 1/(2n + 1) above",
)  # fmt: skip

attainable = claims(lecture, attainable_flops, "section 8: the roofline", rows={"": "min(P, I*W)"})

bound = claims(lecture, mfu_bound, "section 8: MFU is at most intensity over balance", rows={"": "min(1, I/(P/W))"})

crossing = claims(
    lecture, compute_bound_size, "section 8, example 5: where n/3 reaches the balance", expected="refuted",
    rows={"": "3*P/W"}, note="n/3 is 1/6 too much, so that one more half is needed, and a whole number",
)  # fmt: skip

higher_bar = claims(
    lecture, compute_bound_size, "section 8: fp8, whose balance is twice that of bf16, has a higher bar",
    dtype="e4m3", expected="refuted", rows={"": "ceil(3*P/W + 1/2)"},
    note="bf16's crossing at fp8's balance; but half the bytes double the intensity too: 887 on an H100 for both",
)  # fmt: skip

# Section 10: initialisation.

kept_variance = claims(lecture, init_scale, "section 10: 1/sqrt(d)", rows={"": "1/sqrt(d)"})

xavier = claims(lecture, xavier_scale, "section 10: truncated normal", rows={"": "sqrt(2/(d_in + d_out))"})

branches = claims(lecture, residual_scale, "section 10: residual branches over sqrt(2L)", rows={"": "1/sqrt(2*L)"})

kept_through_relu = claims(
    lecture, relu_moment, "section 10: 1/sqrt(d) keeps the scale of its own blocks, which end in a ReLU",
    given={"tau": "1/d", "L": "1"}, expected="refuted", rows={"": "1"},
    note="a ReLU halves the second moment: it takes sqrt(2/d)",
)  # fmt: skip

# Section 11: data.

two_bytes = claims(
    lecture, token_bytes, "section 11: uint16 tokens, at the vocabulary of Llama 3", given={"V": "128256"},
    expected="refuted", rows={"": "2"}, note="2 bytes tell 65536 tokens apart",
)  # fmt: skip

two_bytes_of_a_data_set = claims(
    lecture, dataset_bytes, "section 11: 2 bytes a token", given={"y": "2"}, rows={"": "y*D"}
)

starts = claims(
    lecture, window_starts, "section 11: get_batch draws from len(data) - seq_len - 1", expected="refuted",
    rows={"": "l - s - 1"}, note="the end of that range is excluded: the last window is never drawn",
)  # fmt: skip

epoch = claims(
    lecture, window_coverage, "section 11: random windows are as good as an epoch", expected="refuted",
    rows={"": "1"}, note="one pass covers 1 - 1/e of a large file, 63.2%; the rest is repeated",
)  # fmt: skip

# Section 3: number formats.

four_bits = claims(
    lecture, float_values, "section 3: nvfp4 has sixteen values, a code each", dtype="nvfp4", expected="refuted",
    rows={"": "2^(1 + e + m)"}, note="sixteen codes for fifteen values, which the text lists: +0 and -0 are one",
)  # fmt: skip

# Section 12: recomputation.

square_root = claims(
    lecture, checkpoint_interval, "section 12: a checkpoint every sqrt(L) layers", expected="refuted",
    rows={"": "sqrt(L)"}, note="where a boundary takes what a layer's interior does; in general sqrt(c*L/A)",
)  # fmt: skip

square_root_of_equal_parts = claims(
    lecture, checkpoint_interval, "section 12: a checkpoint every sqrt(L) layers, all tensors of one size",
    given={"c": "A"}, rows={"": "sqrt(L)"},
)  # fmt: skip

boundaries_and_interior = claims(
    lecture, checkpointed_bytes, "section 12: L/k boundaries and k inside a segment", given={"c": "A"},
    expected="refuted", rows={"": "A*(L/k_s + k_s)"}, note="the segment's input is counted twice",
)  # fmt: skip

one_more_forward = claims(
    lecture, recompute_factor, "section 12: 6ND becomes 8ND", about=gpt,
    expected="refuted", rows={"recompute=layer": "8/6"},
    note="for a stack of layers alone; a head, which is outside every layer, is not run again",
)  # fmt: skip
