"""A Chinese lesson on training budgets with its command-line calculator: FLOPs, memory, wall-clock time, Chinchilla."""

from derive import Citation, Role, claims
from formulas.activations import activations, model_activations
from formulas.architectures.gpt import gpt
from formulas.architectures.llama import llama
from formulas.flops import flops_per_token
from formulas.parameters import parameters
from formulas.recompute import layer_input_bytes, recompute_factor
from formulas.scaling import chinchilla_parameters, chinchilla_tokens, training_flops
from formulas.states import states, zero_1, zero_2, zero_3
from formulas.time import cost, training_time

pocket_calculator = Citation(
    key="pocket-calculator",
    kind="article",
    authors="Pocket calculator lesson",
    year=2026,
    title="训练资源核算：FLOPs、显存与挂钟时间 (Training budgets: FLOPs, memory and wall-clock time)",
    locator="lesson with a calculator, main.py, and its tests",
)

compute = claims(pocket_calculator, training_flops, "the 6ND rule, and its tests", rows={"": "6*N*D"})

each_token = claims(
    pocket_calculator, flops_per_token, "the 6ND rule: a product or a lookup, each parameter once", about=llama,
    letters={"N": parameters}, expected="refuted", rows={"": "6*N"},
    note="a lookup has no FLOPs: an untied input table is 6*V*h too much; attention's score products are missing",
)  # fmt: skip

byte_rule = claims(
    pocket_calculator, states, "memory budget: mixed precision with Adam", rows={"": "(2 + 2 + 4 + 4 + 4)*N"}
)

ADAM_ALONE = "counts Adam's two moments alone; with the fp32 master of its own byte rule 4*N/n more"

optimizer_sharded = claims(
    pocket_calculator, zero_1, "ZeRO: stage 1, 8N over the ranks", expected="refuted",
    rows={"": "2*N + 2*N + 8*N/n"}, note=ADAM_ALONE,
)  # fmt: skip

gradients_sharded = claims(
    pocket_calculator, zero_2, "ZeRO: stage 2, 8N + 2N over the ranks", expected="refuted",
    rows={"": "2*N + (8*N + 2*N)/n"}, note=ADAM_ALONE,
)  # fmt: skip

weights_sharded = claims(
    pocket_calculator, zero_3, "ZeRO: stage 3, everything over the ranks", expected="refuted",
    rows={"": "(8*N + 2*N + 2*N)/n"}, note=ADAM_ALONE + ", and 12*N for 16*N on one device",
)  # fmt: skip

optimizer_sharded_without_master = claims(
    pocket_calculator, zero_1, "ZeRO: stage 1, 8N over the ranks", recipe="bf16-no-master",
    rows={"": "2*N + 2*N + 8*N/n"},
)  # fmt: skip

gradients_sharded_without_master = claims(
    pocket_calculator, zero_2, "ZeRO: stage 2, 8N + 2N over the ranks", recipe="bf16-no-master",
    rows={"": "2*N + (8*N + 2*N)/n"},
)  # fmt: skip

weights_sharded_without_master = claims(
    pocket_calculator, zero_3, "ZeRO: stage 3, everything over the ranks", recipe="bf16-no-master",
    rows={"": "(8*N + 2*N + 2*N)/n"},
)  # fmt: skip

TOO_LITTLE = "a rule of thumb: scores aside, the layer keeps 34*s*b*h, and 17*s*b*h where its MLP is run again too"

at_least = claims(
    pocket_calculator, activations, "memory budget: a layer keeps from 12 BSH bytes on", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"recompute=core": "12*b*s*h"}, note=TOO_LITTLE,
)  # fmt: skip

at_most = claims(
    pocket_calculator, activations, "memory budget: a layer keeps up to 24 BSH bytes", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"recompute=core": "24*b*s*h"}, note=TOO_LITTLE,
)  # fmt: skip

divided_by_layers = claims(
    pocket_calculator, model_activations, "memory budget: checkpointing divides what is kept by about L", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted", rows={"recompute=layer": "L*(34*s*b*h)/L"},
    note="a layer's input is kept for every layer: 2*s*b*h*L stays linear in L, a factor of at most 17",
)  # fmt: skip

absorbed = claims(
    pocket_calculator, layer_input_bytes, "tips: twice the context, twice the activations unless checkpointed",
    about=gpt, given={"s": "16384"}, expected="refuted", rows={"": "2*8192*b*h"},
    note="a layer's input, which is what is left of it, is twice as large as at 8192 tokens",
)  # fmt: skip

recomputed = claims(
    pocket_calculator, recompute_factor, "ZeRO and checkpointing: one more forward pass, 33% more FLOPs", about=gpt,
    rows={"recompute=layer+head": "1 + 1/3", "recompute=layer": "1 + 1/3"}, expected={"recompute=layer": "refuted"},
    note="exact where the head is run again too; its product is outside every layer",
)  # fmt: skip

wall_clock = claims(pocket_calculator, training_time, "MFU and wall clock", rows={"": "6*N*D/(G*P*eta)"})

price = claims(pocket_calculator, cost, "MFU and wall clock: price of a GPU-hour", rows={"": "R*G*T/3600"})

ratio = claims(pocket_calculator, chinchilla_tokens, "Chinchilla: D = 20N", rows={"": "20*N"})

compute_of_the_optimum = claims(
    pocket_calculator, training_flops, "Chinchilla: C = 120N^2", given={"D": "20*N"}, rows={"": "120*N^2"}
)

best_parameters = claims(pocket_calculator, chinchilla_parameters, "Chinchilla: N of C", rows={"": "sqrt(C/120)"})

best_tokens = claims(pocket_calculator, chinchilla_tokens, "Chinchilla: D of C", rows={"": "20*sqrt(C/120)"})
