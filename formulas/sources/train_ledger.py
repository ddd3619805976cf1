"""A Chinese article on the ledger of a training step, part 1 of a series, with its script train-ledger."""

from derive import Citation, Role, claims
from formulas.activations import activations, logits
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import attention_flops, flops_per_token
from formulas.memory import allocated_segment, peak_memory, usable_memory
from formulas.parameters import gemm_parameters, layer_parameters, parameters
from formulas.recompute import recompute_factor
from formulas.states import bytes_per_parameter, checkpoint_bytes, optimizer_bytes, states, zero_1
from formulas.time import step_time
from formulas.utilization import hfu, mfu

train_ledger = Citation(
    key="train-ledger",
    kind="article",
    authors="Train-ledger article",
    year=2026,
    title="大规模训练工程：从并行策略到容错恢复 (Large-scale training engineering), part 1 of 9",
    locator="article with the script train-ledger",
)

heads = {"d": "h/a"}  # ModelSpec.head_dim

logits_of_a_gpt = claims(
    train_ledger, logits, "chapter 4, section 3: in bf16, and the fp32 copy for the loss", about=gpt,
    rows={"": "2*s*b*V + 4*s*b*V"},
)  # fmt: skip

logits_of_a_llama = claims(
    train_ledger, logits, "chapter 4, section 3: in bf16, and the fp32 copy for the loss", about=llama,
    rows={"": "2*s*b*V + 4*s*b*V"},
)  # fmt: skip

layer = claims(
    train_ledger, layer_parameters, "chapter 1, section 3, and ledger/model.py, layer_params", about=llama,
    given=heads, rows={"": "2*h^2 + 2*h*g*d + 3*h*f + 2*h"},
)  # fmt: skip

model = claims(
    train_ledger, parameters, "chapter 1, section 3, and ledger/model.py, params", about=llama, given=heads,
    rows={"": "L*(2*h^2 + 2*h*g*d + 3*h*f + 2*h) + 2*V*h + h"},
)  # fmt: skip

multiplied = claims(
    train_ledger, gemm_parameters, "ledger/flops.py, flops_per_token, gemm_params", about=llama, given=heads,
    letters={"N": parameters}, includes={Role.GAIN}, rows={"": "N - 2*V*h + h*V"},
    note="its text leaves norm weights out of the products, its code keeps them in: 2Lh + h",
)  # fmt: skip

flops = claims(
    train_ledger, flops_per_token, "ledger/flops.py, flops_per_token, causal", about=llama, given=heads,
    letters={"N": parameters}, includes={Role.GAIN}, neglect={Role.DIAGONAL},
    rows={"mask=causal": "6*(N - 2*V*h + h*V) + 12*L*s*h/2"},
)  # fmt: skip

selective_recomputation = claims(
    train_ledger, recompute_factor, "chapter 7, section 2, selective recomputation, causal", about=llama, given=heads,
    neglect={Role.DIAGONAL}, rows={"mask=causal,attention=materialised,recompute=core": "1 + 2*L*s*h/F"},
)  # fmt: skip

flash_recomputation = claims(
    train_ledger, recompute_factor, "chapter 7, section 3, flash or selective alike", about=llama, given=heads,
    neglect={Role.DIAGONAL}, expected="refuted", rows={"mask=causal,attention=flash": "1 + 2*L*s*h/F"},
    note="the kernel makes the scores again and not the product with the values: half of it",
)  # fmt: skip

full_recomputation = claims(
    train_ledger, recompute_factor, "chapter 7, section 2, full recomputation: (2 + 2 + 4)/6", about=llama,
    rows={
        "attention=materialised,recompute=layer+head": "(2 + 2 + 4)/6",
        "attention=materialised,recompute=layer": "(2 + 2 + 4)/6",
    },
    expected={"attention=materialised,recompute=layer": "refuted"},
    note="the head is outside every layer: where only layers are run again it is 4/3 - 2*h*V/F",
)  # fmt: skip

split = claims(
    train_ledger, states, "chapter 3, section 2: StateBytes' params_bytes, grads_bytes and optim_bytes",
    rows={"": "2*N + 2*N + 12*N"},
)  # fmt: skip

split_with_fp32_gradients = claims(
    train_ledger, states, "chapter 3, section 3: bf16 gradients replaced by fp32 ones", recipe="bf16-fp32-grads",
    rows={"": "2*N + 4*N + 12*N"},
    note="not 20: a bf16 gradient exists only until it is added to the fp32 one",
)  # fmt: skip

split_of_fp16 = claims(
    train_ledger, bytes_per_parameter, "chapter 3, section 3: fp16 as bf16", recipe="fp16", rows={"": "16"},
    note="Megatron-LM's fp16 has 20: an fp32 main gradient more",
)  # fmt: skip

split_of_fp32 = claims(
    train_ledger, bytes_per_parameter, "chapter 3, section 3: fp32", recipe="fp32", rows={"": "4 + 4 + 8"}
)

fp32_is_twice = claims(
    train_ledger, states, "chapter 3, section 1: fp32 training takes twice the memory", recipe="fp32",
    expected="refuted", rows={"": "2*(2*N + 2*N + 12*N)"},
    note="its section 3 has it right: 4 + 4 + 8 without a master, as much as bf16 with one; only activations double",
)  # fmt: skip

master_as_weights = claims(
    train_ledger, bytes_per_parameter, "chapter 2, section 1: the master filed with the weights",
    rows={"": "(2 + 4) + 2 + (4 + 4)"},
)  # fmt: skip

distributed_optimizer = claims(
    train_ledger, bytes_per_parameter, "chapter 3, section 4: ZeRO-1 with fp32 gradients", recipe="bf16-fp32-grads",
    rows={"zero=1,dp=n": "6 + 12/n"},
)  # fmt: skip

optimizer_share = claims(
    train_ledger, optimizer_bytes, "chapter 2, section 1, and chapter 3, section 2: 3/4 of the states",
    letters={"Q": bytes_per_parameter}, rows={"": "3/4*Q"},
)  # fmt: skip

optimizer_share_with_fp32_gradients = claims(
    train_ledger, optimizer_bytes, "chapter 3, section 2, at the 18 bytes of section 3",
    letters={"Q": bytes_per_parameter}, recipe="bf16-fp32-grads", expected="refuted", rows={"": "3/4*Q"},
    note="it is 12/18 = 2/3 there",
)  # fmt: skip

saved_by_sharding = claims(
    train_ledger, zero_1, "chapter 3, section 2: sharding the optimizer alone saves 3/4 of the memory",
    expected="refuted", rows={"": "16*N - 3/4*(16*N)"}, note="12/16*(1 - 1/n): 3/4 is the limit for many devices",
)  # fmt: skip

momentum = claims(
    train_ledger, optimizer_bytes, "chapter 2, section 1: SGD with momentum, beside the master", optimizer="momentum",
    neglect={Role.MASTER}, rows={"": "4"},
)  # fmt: skip

checkpoint = claims(
    train_ledger, checkpoint_bytes, "chapter 3, section 5: at least", neglect={Role.MODEL_WEIGHTS}, rows={"": "12*N"}
)

checkpoint_with_weights = claims(
    train_ledger, checkpoint_bytes, "chapter 3, section 5: at most", given={"w": "1"}, rows={"": "14*N"}
)

peak = claims(
    train_ledger, peak_memory, "chapter 2, section 2: static, and the larger of activations and gradients",
    given={"m": "1"}, rows={"": "M_r + max(A, M_g)"},
)  # fmt: skip

ACTIVATIONS = "chapter 2, section 2: usually, for a large model, activations are smaller than gradients; with 34sbhL of"

small_activations_of_8b = claims(
    train_ledger, peak_memory, f"{ACTIVATIONS} Llama 3 8B",
    given={"m": "1", "A": "34*8192*4096*32", "M_g": "2*8030261248"}, expected="refuted", rows={"": "M_r + M_g"},
    note="they are 2.27 times as much",
)  # fmt: skip

small_activations_of_70b = claims(
    train_ledger, peak_memory, f"{ACTIVATIONS} Llama 3 70B, its example",
    given={"m": "1", "A": "34*8192*8192*80", "M_g": "2*70553706496"}, expected="refuted", rows={"": "M_r + M_g"},
    note="they are 1.29 times as much; at 405B it holds, with 0.71",
)  # fmt: skip

small_activations_of_405b = claims(
    train_ledger, peak_memory, f"{ACTIVATIONS} Llama 3 405B",
    given={"m": "1", "A": "34*8192*16384*126", "M_g": "2*405853388800"}, rows={"": "M_r + M_g"},
)  # fmt: skip

peak_with_accumulation = claims(
    train_ledger, peak_memory, "chapter 2, section 2, third point: accumulation leaves the peak alone",
    expected="refuted", rows={"": "M_r + max(A, M_g)"},
    note="the gradients of the first micro-batch are there when the second one's activations are: min(A, M_g) more",
)  # fmt: skip

full_gradients = claims(
    train_ledger, peak_memory, "chapter 2, section 2, third point: gradients full from the second micro-batch on",
    given={"m": "2"}, rows={"": "M_r + M_g + A"}, note="so the peak is the plain sum",
)  # fmt: skip

own_segment = claims(
    train_ledger, allocated_segment, "chapter 5, section 3: a segment of its own above 10 MiB; at 10 MiB one of 20",
    given={"x_r": "10*2^20"}, expected="refuted", rows={"": "20*2^20"},
    note="PyTorch tests for less than 10 MiB: at 10 MiB a request has a segment of its own",
)  # fmt: skip

left_for_tensors = claims(
    train_ledger, usable_memory, "chapter 5, section 4: what context, NCCL, fragmentation and workspaces leave",
    form=True, rows={"": "(M - c - q)*(1 - phi) - x_w"},
)  # fmt: skip

kept_by_a_layer = claims(
    train_ledger, activations, "chapter 4, sections 1, 4 and 5", about=gpt, neglect={Role.STATISTICS},
    expected={"recompute=layer": "proved"},
    rows={
        "": "s*b*h*(34 + 5*a*s/h)",
        "tp=t,recompute=core": "s*b*h*(10 + 24/t)",
        "recompute=layer": "2*s*b*h",
    },
)  # fmt: skip

kept_by_a_llama = claims(
    train_ledger, activations, "chapter 4, section 3: 34sbh for the layers of Llama 3", about=llama, given=heads,
    expected="refuted", rows={"attention=flash": "34*s*b*h"},
    note="the count is of a layer with GELU and dropout: Llama 3 keeps 1.45, 1.43, 1.36 times as much at 8B, 70B, 405B",
)  # fmt: skip

scores = claims(
    train_ledger, attention_flops, "chapter 6, section 2: the two score products", about=llama, given=heads,
    rows={"mask=full": "12*L*s*h"},
)  # fmt: skip

causal_scores = claims(
    train_ledger, attention_flops, "chapter 6, section 2: half of them with a causal mask", about=llama, given=heads,
    neglect={Role.DIAGONAL}, rows={"mask=causal": "12*L*s*h/2"},
)  # fmt: skip

share_of_scores = claims(
    train_ledger, attention_flops, "chapter 6, section 2: s/(12h) of 6N", about=llama, letters={"N": parameters},
    neglect={Role.DIAGONAL}, expected="refuted", rows={"mask=causal": "6*N*s/(12*h)"},
    note="takes N for 12*L*h^2, which no layer of Llama 3 has: 13, 12.75 and 11.875 h^2, and tables",
)  # fmt: skip

step_bound = claims(
    train_ledger, step_time, "chapter 6, section 4, and ledger/flops.py, step_time_lower_bound",
    rows={"": "B*F/(G*P*eta)"},
)  # fmt: skip

utilization = claims(train_ledger, mfu, "chapter 7, section 1, and ledger/flops.py, mfu", rows={"": "(B/T)*F/(G*P)"})

hardware_utilization = claims(train_ledger, hfu, "ledger/flops.py, hfu", rows={"": "eta*rho"})
