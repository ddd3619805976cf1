"""The theorems: what a planner, a teacher or a reviewer would cite, over derived quantities or letters of their own."""

from checks.theorems.accumulation import ACCUMULATED
from checks.theorems.activations import ACTIVATIONS
from checks.theorems.data import DATA
from checks.theorems.derived import Of
from checks.theorems.flops import FLOPS
from checks.theorems.formats import FORMATS
from checks.theorems.gemm import GEMM
from checks.theorems.inference import INFERENCE
from checks.theorems.init import INIT
from checks.theorems.memory import MEMORY
from checks.theorems.parallelism import LAYOUT, PIPELINES, TRAFFIC
from checks.theorems.parameters import PARAMETERS
from checks.theorems.recompute import RECOMPUTATION
from checks.theorems.roofline import ROOFLINE
from checks.theorems.scaling import SCALING
from checks.theorems.states import STATES
from checks.theorems.theorem import Theorem, collected
from checks.theorems.time import TIME
from checks.theorems.utilization import UTILIZATION
from checks.theorems.views import VIEWS

__all__ = ["ACCUMULATED", "THEOREMS", "VIEWS", "Of", "Theorem", "collected"]

THEOREMS: tuple[Theorem, ...] = collected(
    GEMM, VIEWS, PARAMETERS, ACTIVATIONS, FLOPS, STATES, MEMORY, RECOMPUTATION, ACCUMULATED, UTILIZATION, TIME, SCALING,
    ROOFLINE, PIPELINES, LAYOUT, TRAFFIC, INFERENCE, FORMATS, DATA, INIT,
)  # fmt: skip
