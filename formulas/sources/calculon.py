"""calculon-ai/calculon: the activations that one block of its model stores."""

from derive import Citation, Role, claims
from formulas.activations import activations, attention_activations, mlp_activations
from formulas.architectures.gpt import gpt

calculon = Citation(
    key="calculon",
    kind="tool",
    authors="Isaev et al.",
    year=2024,
    title="Calculon, calculon/llm/llm.py",
    locator="calculon-ai/calculon caa4b11f",
)

BLOCKS = "_build_attn_block and _build_mlp_block, lines 638-1025"

RUN = "stated nowhere; its code, run for t = 1 and 8"

attention = claims(
    calculon, attention_activations, "_build_attn_block, lines 638-899, none, tensor_par_comm_type=ar", about=gpt,
    rows={"tp=t": "s*b*h*(3 + 8/t + 5*a*s/(h*t))"}, note=RUN,
)  # fmt: skip

mlp = claims(
    calculon, mlp_activations, "_build_mlp_block, lines 901-1025, none, tensor_par_comm_type=ar", about=gpt,
    rows={"tp=t": "s*b*h*(3 + 16/t)"}, note=RUN,
)  # fmt: skip

selective = claims(
    calculon, activations, f"{BLOCKS}, attn_only, tensor_par_comm_type=ar", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted",
    rows={
        "tp=t,recompute=core": "s*b*h*(8 + 24/t)",
        "tp=1,recompute=core": "s*b*h*32",
        "tp=8,recompute=core": "s*b*h*11",
    },
    note="stated nowhere; its code, run for t = 1, 2, 4 and 8, unfused activation, it gives 32, 20, 14 and 11 sbh. "
    "With attention it also drops the input of query, key and value, 2sbh (lines 642 and 695), but recomputes no norm",
)  # fmt: skip

fused = claims(
    calculon, activations, f"{BLOCKS}, attn_only, tensor_par_comm_type=ar, fused_activation", about=gpt,
    neglect={Role.STATISTICS}, expected="refuted",
    rows={
        "tp=t,recompute=core": "s*b*h*(8 + 16/t)",
        "tp=1,recompute=core": "s*b*h*24",
        "tp=8,recompute=core": "s*b*h*10",
    },
    note="the same without the input of the GELU, 8sbh/t, which its gradient needs",
)  # fmt: skip

with_sequence_parallelism = claims(
    calculon, activations, f"{BLOCKS}, attn_only, tensor_par_comm_type=rs_ag", about=gpt, neglect={Role.STATISTICS},
    expected="refuted", rows={"tp=t,sp,recompute=core": "s*b*h*(2 + 34/t)", "tp=8,sp,recompute=core": "s*b*h*6.25"},
    note="stores the MLP's gathered input whole beside its part of it (line 949), unless seq_par_ag_redo is set",
)  # fmt: skip

mlp_with_sequence_parallelism = claims(
    calculon, mlp_activations, "_build_mlp_block, lines 901-1025, tensor_par_comm_type=rs_ag", about=gpt,
    expected="refuted", rows={"tp=t,sp": "s*b*h*(2 + 19/t)"}, note="the gathered input, whole beside its part",
)  # fmt: skip

mlp_with_gathering_redone = claims(
    calculon, mlp_activations, "_build_mlp_block, lines 901-1025, tensor_par_comm_type=rs_ag, seq_par_ag_redo",
    about=gpt, rows={"tp=t,sp": "s*b*h*19/t"},
)  # fmt: skip
