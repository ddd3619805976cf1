"""Parallelism: bubbles and their conventions, schedules, what is padded, and what collectives move."""

from functools import partial

from checks.theorems.derived import Of
from checks.theorems.theorem import Theorem
from derive.letters import Letter

theorem = partial(
    Theorem,
    topic="parallelism",
    letters=(
        Letter("e", "distance to a limit", kind="positive real"),
        Letter("A", "bytes that a buffer has", kind="positive real"),
    ),
)
ideal, of_whole = partial(Of, "pipeline-bubble"), partial(Of, "pipeline-bubble-of-whole")
interleaved, penalty = Of("interleaved-bubble"), Of("interleaved-penalty")
held, held_interleaved = Of("in-flight-microbatches"), Of("interleaved-in-flight-microbatches")
idle, zero_bubble, dual = Of("pipeline-idle"), Of("zero-bubble-idle"), Of("dual-pipe-idle")

PIPELINES = (
    theorem(
        "bubble-conventions",
        "the bubble as a share of the whole step is x/(1 + x), where x is its share of the ideal time",
        "y == x/(1 + x)",
        {"y": of_whole(), "x": ideal()},
    ),
    theorem(
        "bubble-of-whole-is-less",
        "the bubble's share of the whole step is never more than its share of the ideal time",
        "y <= x",
        {"y": of_whole(), "x": ideal()},
        equality={"p": 1},
    ),
    theorem(
        "bubble-is-a-part",
        "the bubble is less than the whole step, however few micro-batches there are",
        "y < 1",
        {"y": of_whole()},
    ),
    theorem(
        "bubble-falls-with-micro-batches",
        "one more micro-batch never makes the bubble's share larger",
        "more <= y",
        {"more": of_whole(at={"m": "m + 1"}), "y": of_whole()},
        equality={"p": 1},
    ),
    theorem(
        "bubble-grows-with-stages",
        "one more stage makes the bubble's share larger",
        "y < more",
        {"more": of_whole(at={"p": "p + 1"}), "y": of_whole()},
    ),
    theorem(
        "bubble-vanishes-in-the-limit",
        "for every e > 0 the bubble is at most e of the ideal time, from (p - 1)/e micro-batches on",
        "x <= e",
        {"x": ideal()},
        given=("m >= (p - 1)/e",),
        equality={"p": 2},
        needed={"m >= (p - 1)/e": {"p": 3}},
    ),
    theorem(
        "bubble-in-proportion",
        "c times the micro-batches have a c-th of the bubble",
        "c*more == x",
        {"more": ideal(at={"m": "c*m"}), "x": ideal()},
        letters=(Letter("c", "factor"),),
    ),
    theorem(
        "bubble-in-seconds",
        "a device waits for the bubble's share of the time in which it computes",
        "t_pb == x*m*(t_f + t_b)",
        {"t_pb": idle, "x": ideal()},
    ),
    theorem(
        "bubble-of-whole-in-seconds",
        "a device waits for the bubble's share of the whole step of the time that the step takes",
        "t_pb/(m*(t_f + t_b) + t_pb) == y",
        {"t_pb": idle, "y": of_whole()},
    ),
    theorem(
        "interleaving-divides-the-bubble",
        "v chunks a device have a v-th of the bubble",
        "v*z == x",
        {"z": interleaved, "x": ideal()},
    ),
    theorem(
        "interleaving-never-waits-longer",
        "v chunks a device never make the bubble longer",
        "z <= x",
        {"z": interleaved, "x": ideal()},
        equality={"v": 1},
    ),
    theorem(
        "interleaving-of-whole",
        "v chunks a device never make the bubble a larger share of the whole step",
        "z/(1 + z) <= y",
        {"z": interleaved, "y": of_whole()},
        equality={"v": 1},
    ),
    theorem(
        "interleaving-holds-less-than-twice",
        "interleaved chunks hold less than twice what 1F1B holds",
        "z < 2",
        {"z": penalty},
    ),
    theorem(
        "interleaving-never-holds-less",
        "interleaved chunks never hold less than 1F1B holds",
        "1 <= z",
        {"z": penalty},
        equality={"p": 1},
    ),
    theorem(
        "in-flight-at-most-the-stages",
        "with 1F1B no device holds more micro-batches than there are stages",
        "k <= p",
        {"k": held},
        equality={"m": 2, "p": 2},
    ),
    theorem(
        "in-flight-at-most-all",
        "with 1F1B no device holds more micro-batches than there are, which is what GPipe holds",
        "k <= m",
        {"k": held},
        equality={"m": 2, "p": 2},
    ),
    theorem(
        "in-flight-interleaved",
        "interleaved chunks never hold fewer micro-batches than 1F1B",
        "k <= k_v",
        {"k": held, "k_v": held_interleaved},
        equality={"p": 1},
    ),
    theorem(
        "zero-bubble-never-waits-longer",
        "with weights' gradients a pass of their own no device ever waits longer",
        "z <= x",
        {"z": zero_bubble, "x": idle},
        equality={"p": 1},
    ),
    theorem(
        "zero-bubble-is-no-negative-time",
        "as long as two such passes take no longer than a forward and a backward pass, devices wait, if at all",
        "0 <= z",
        {"z": zero_bubble},
        given=("t_w <= (t_f + t_b)/2",),
        equality={"p": 1},
        needed={"t_w <= (t_f + t_b)/2": {"t_w": 2, "p": 2}},
    ),
    theorem(
        "dual-pipe-waits-less",
        "DualPipe waits less than 1F1B, where passes that overlap take no longer than one after the other",
        "z < x",
        {"z": dual, "x": idle},
        given=("p >= 2", "t_o <= t_f + t_b"),
        witness={"p": 2},
        needed={
            "p >= 2": {"p": 1, "t_w": 4},
            "t_o <= t_f + t_b": {"p": 4, "t_o": 100},
        },
    ),
)

LAYOUT = (
    theorem(
        "stages-hold-all-layers",
        "p stages of ceil(L/p) layers hold all layers",
        "L <= p*ceil(L/p)",
        equality={"L": 6, "p": 3},
    ),
    theorem(
        "fullest-stage",
        "the fullest stage has at most (L + p - 1)/p layers",
        "ceil(L/p) <= (L + p - 1)/p",
        equality={"L": 4, "p": 3},
    ),
    theorem(
        "padded-vocabulary-holds-all",
        "a vocabulary that is padded for t devices has every token",
        "V <= t*ceil(V/t)",
        equality={"V": 6, "t": 3},
    ),
    theorem(
        "padding-is-less-than-a-row-each",
        "a vocabulary that is padded for t devices has fewer than t rows too many",
        "t*ceil(V/t) < V + t",
    ),
    theorem(
        "whole-micro-batches",
        "the micro-batches that fit into a batch on all ranks never have more than the batch",
        "floor(B/(n*b))*n*b <= B",
        equality={"B": 6, "n": 3, "b": 2},
    ),
    theorem(
        "whole-micro-batches-leave-less-than-one",
        "the micro-batches that fit into a batch leave out less than one micro-batch of every rank",
        "B < floor(B/(n*b))*n*b + n*b",
    ),
)

TRAFFIC = (
    theorem(
        "ring-all-reduce",
        "a ring all-reduce, a reduce-scatter and an all-gather of n - 1 parts each, sends less than twice the buffer",
        "(n - 1)*A/n + (n - 1)*A/n < 2*A",
    ),
    theorem(
        "ring-all-reduce-grows",
        "with every device more a ring all-reduce sends more",
        "2*A*(n - 1)/n < 2*A*n/(n + 1)",
    ),
    theorem(
        "ring-all-reduce-of-two",
        "from two devices on a ring all-reduce sends at least the buffer",
        "A <= 2*A*(n - 1)/n",
        given=("n >= 2",),
        witness={"n": 2},
        equality={"n": 2},
        needed={"n >= 2": {"n": 1}},
    ),
)
