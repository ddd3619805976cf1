"""PyTorch itself, measured: the bytes that its layers keep for backward, by storage, as polynomials in the sizes."""

from derive import Citation, claims
from formulas.activations import activations
from formulas.architectures.gpt import gpt, gpt_unfused
from formulas.architectures.llama import llama, llama_repeat_kv
from formulas.recompute import checkpointed_bytes

pytorch = Citation(
    key="pytorch",
    kind="measurement",
    authors="PyTorch",
    year=2026,
    title="saved tensors of layers run on the meta device, torch 2.13.0, written as transformers 5.24.0 writes them",
    locator="torch.autograd.graph.saved_tensors_hooks",
)

unfused = claims(
    pytorch, activations, "GPT layer, scores written out, causal mask, dropout", about=gpt_unfused,
    rows={"": "18*s*b*h + 4*s*b*f + 5*a*s^2*b + 16*b*s + s^2 + 8"},
)  # fmt: skip

flash = claims(
    pytorch, activations, "GPT layer, CUDA flash attention, dropout", about=gpt,
    rows={"attention=cuda_flash": "18*s*b*h + 4*s*b*f + 4*a*b*s + 16*b*s + 24"},
)  # fmt: skip

grouped = claims(
    pytorch, activations, "transformers' Llama layer, flash attention, heads not repeated", about=llama,
    rows={
        "": "16*b*s*h + 8*b*s*f + 4*b*s*a*d + 4*b*s*g*d + 4*a*b*s + 8*b*s + 4*s*d",
        "attention=cuda_flash": "16*b*s*h + 8*b*s*f + 4*b*s*a*d + 4*b*s*g*d + 4*a*b*s + 8*b*s + 4*s*d + 24",
    },
)  # fmt: skip

repeated = claims(
    pytorch, activations, "transformers' Llama layer, flash attention, repeat_kv", about=llama_repeat_kv,
    rows={
        "": "16*b*s*h + 8*b*s*f + 8*b*s*a*d + 4*a*b*s + 8*b*s + 4*s*d",
        "attention=cuda_flash": "16*b*s*h + 8*b*s*f + 8*b*s*a*d + 4*a*b*s + 8*b*s + 4*s*d + 24",
    },
)  # fmt: skip

checkpointed = claims(
    pytorch, checkpointed_bytes, "GPT layers, reentrant checkpoints of k layers: the peak of what is kept",
    rows={"": "(L/k_s)*c + k_s*A - c"},
)  # fmt: skip
