"""Time, cost and saving: the seeds' runs to the last digit, and the laws that tie time, devices and utilization."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.cli import main
from derive.tree import to_text
from tests.asking import LLAMAS, asked, value

DAY = 86400
H100, LECTURE = 989 * 10**12, Fraction(1979 * 10**12, 2)  # as the article and the calculator, and as the lecture has it
ARTICLE = {"llama3-8b": 51470401536, "llama3-70b": 449222541312, "llama3-405b": 2523955986432}  # its FLOPs of a token
MEETING = {"N": 7 * 10**9, "D": 10**11, "G": 64, "P": H100}  # 7B parameters, 100B tokens, 64 H100


def days(**letters) -> Fraction:
    return value("training-time", **letters) / DAY


# ---- the article ----


@pytest.mark.parametrize(("model", "over", "printed"), [
    ("llama3-8b", 102940803072, "0.43"), ("llama3-70b", 898445082624, "3.72"), ("llama3-405b", 5047911972864, "20.91"),
])  # fmt: skip
def test_no_sequence_is_faster_than_its_bound(model: str, over: int, printed: str):
    one = {"B": 8192, "G": 1, "P": H100, "eta": 1}
    assert value("step-time", F=ARTICLE[model], **one) == Fraction(over, 241455078125)
    derived = value("step-time", model, **one)  # with the triangle's s(s + 1)/2 pairs
    assert f"{float(derived):.2f}" == printed


def test_the_step_of_the_article():
    step = {"B": 2**22, "G": 1024, "P": H100}
    assert 2**22 * ARTICLE["llama3-70b"] == 1884175901915086848
    assert value("step-time", "llama3-70b", eta=1, **step) / value(
        "step-time", "llama3-70b", eta="2/5", **step
    ) == Fraction(2, 5)
    assert [f"{float(value('step-time', 'llama3-70b', eta=eta, **step)):.2f}" for eta in ("1", "2/5")] == [
        "1.86",
        "4.65",
    ]
    bound = value("step-time", F=ARTICLE["llama3-70b"], eta=1, **step)
    assert bound / Fraction(9, 2) == Fraction(299481694208, 724365234375)  # its MFU, as a ratio of times
    assert round(Fraction(2**22) / Fraction(9, 2) / 1000) == 932


def test_steps_days_and_a_point_of_mfu():
    assert value("steps", D=15 * 10**12, B=2**22) == 3576279
    run = {"F": ARTICLE["llama3-70b"], "D": 15 * 10**12, "P": H100}
    for devices, exact, printed in ((1024, Fraction(571216, 2967), "193"), (8192, Fraction(71402, 2967), "24")):
        of_article = value("training-flops", F=run["F"], D=run["D"])
        assert days(C=of_article, P=H100, G=devices, eta="2/5") == exact
        derived = value("training-time", "llama3-70b", D=run["D"], P=H100, G=devices, eta="2/5") / DAY
        assert f"{float(derived):.0f}" == f"{float(exact):.0f}" == printed
        gained = exact - days(C=of_article, P=H100, G=devices, eta="41/100")
        assert gained == {1024: Fraction(571216, 121647), 8192: Fraction(71402, 121647)}[devices]


@pytest.mark.parametrize(("model", "below", "printed"), [
    ("llama3-8b", 12566016, "19215"), ("llama3-70b", 109673472, "2202"), ("llama3-405b", 616200192, "392"),
])  # fmt: skip
def test_tokens_a_second_of_one_card(model: str, below: int, printed: str):
    exact = value("tokens-per-second", F=ARTICLE[model], G=1, P=H100, eta=1)
    assert exact == Fraction(241455078125, below)
    assert f"{float(exact):.0f}" == printed
    assert value("tokens-per-second", model, G=1, P=H100, eta=1) < exact


# ---- the pocket calculator ----


def test_the_meeting_by_mfu():
    assert [days(eta=eta, **MEETING) for eta in ("3/10", "7/20", "2/5", "1/2")] == [
        Fraction(546875, 213624), Fraction(78125, 35604), Fraction(546875, 284832), Fraction(109375, 71208),
    ]  # fmt: skip
    slow, fast = (days(eta=eta, **MEETING) for eta in ("3/10", "1/2"))
    assert (slow / fast, slow / fast - 1, 1 - fast / slow) == (Fraction(5, 3), Fraction(2, 3), Fraction(2, 5))


def test_what_the_meeting_would_ask_next():
    month = 30 * DAY
    fits = [value("training-time", eta="7/20", **MEETING | {"G": devices}) <= month for devices in (4, 5)]
    assert fits == [False, True]
    assert value("training-time", eta="21875/854496", **MEETING) == month
    assert value("affordable-tokens", N=7 * 10**9, G=64, P=H100, eta="7/20", T=month) == 1367193600000
    assert value("training-time", eta="7/20", **MEETING | {"D": 1367193600000}) == month


def test_hours_and_cost():
    assert value("gpu-hours", eta="7/20", **MEETING) == Fraction(10000000, 2967)
    assert value("cost", eta="7/20", R=2, **MEETING) == Fraction(20000000, 2967)
    assert to_text(asked("gpu-hours").derivation.expression) == "N*D/(600*P*eta)"
    assert asked("gpu-hours").given["seconds in an hour"].value == 3600


# ---- the lecture ----


def test_the_napkin():
    run = {"N": 70 * 10**9, "D": 15 * 10**12}
    assert value("training-flops", **run) == 6300000000000000000000000
    assert value("compute-budget", G=1024, P=LECTURE, eta="1/2", T=DAY) == 43772313600000000000000
    assert days(G=1024, P=LECTURE, eta="1/2", **run) == Fraction(13671875, 94992)
    assert f"{float(Fraction(13671875, 94992)):.0f}" == "144"


def test_sizes_of_runs():
    two_weeks = value("compute-budget", G=8, P=LECTURE, eta=1, T=14 * DAY)
    assert two_weeks == 9575193600000000000000
    gpt3, gpt4 = 314 * 10**21, 2 * 10**25
    assert (two_weeks / gpt3, two_weeks / gpt4) == (Fraction(374031, 12265625), Fraction(374031, 781250000))
    assert days(C=10**23, G=8, P=LECTURE, eta=1) == Fraction(7812500, 53433)
    assert f"{float(Fraction(7812500, 53433)):.0f}" == "146"


# ---- laws ----

shares = st.fractions(min_value=Fraction(1, 1000), max_value=1, max_denominator=1000)
runs = {"N": st.integers(1, 10**15), "D": st.integers(1, 10**15), "P": st.integers(1, 10**18), "eta": shares}


@given(run=st.fixed_dictionaries(runs), devices=st.integers(1, 10**5), times=st.integers(1, 100))
def test_time_is_inverse_to_devices_and_to_mfu_and_cost_depends_on_no_number_of_devices(run, devices: int, times: int):
    one = value("training-time", G=devices, **run)
    assert value("training-time", G=devices * times, **run) * times == one
    assert value("training-time", G=devices, **run | {"eta": run["eta"] / times}) == one * times
    assert one * devices == value("training-time", G=1, **run)
    assert value("cost", G=devices, R=3, **run) == value("cost", G=1, R=3, **run) == 3 * value("gpu-hours", G=1, **run)
    assert value("compute-budget", T=one, G=devices, P=run["P"], eta=run["eta"]) == value(
        "training-flops", N=run["N"], D=run["D"]
    )


@given(run=st.fixed_dictionaries(runs), devices=st.integers(1, 10**5), batch=st.integers(1, 10**9))
def test_steps_times_the_time_of_one_cover_the_run(run, devices: int, batch: int):
    whole = value("training-time", G=devices, **run)
    step = value("step-time", G=devices, B=batch, **{x: run[x] for x in ("N", "P", "eta")})
    count = value("steps", D=run["D"], B=batch)
    assert (count - 1) * step < whole <= count * step


@pytest.mark.parametrize("model", LLAMAS)
def test_a_model_takes_the_flops_of_its_trace(model: str):
    flops = value("training-flops", model, D=10**12)
    assert flops == value("flops-per-token", model) * 10**12
    assert value("training-time", model, D=10**12, G=64, P=H100, eta="2/5") == flops / (64 * H100) / Fraction(2, 5)


# ---- saving ----


def test_young_is_the_minimum_of_the_overhead():
    made = asked("save-interval")
    assert to_text(made.derivation.expression) == "sqrt(2*delta*tau)"
    assert made.derivation.proved
    assert [step.relation for step in made.derivation.steps] == ["under", "=", "="]
    assert value("save-interval", delta=300, tau=DAY) == 7200


@given(root=st.integers(1, 10**4), tau=st.integers(1, 10**4), other=st.integers(1, 10**4))
def test_no_interval_has_less_overhead_than_youngs(root: int, tau: int, other: int):
    known = {"delta": Fraction(root**2, 2 * tau), "tau": tau}  # so that the optimum is whole
    best = value("save-interval", **known)
    assert best == root
    least = value("saving-overhead", x=best, **known)
    assert least == Fraction(root, tau)  # sqrt(2*delta/tau)
    assert value("saving-overhead", x=other, **known) - least == Fraction((other - root) ** 2, 2 * tau * other)


@pytest.mark.parametrize(("minutes", "printed"), [(24 * 60, "117"), (6 * 60, "57"), (15, "9.1")])
def test_daly_as_the_figures_of_his_paper_print_it(minutes: int, printed: str):
    known = {"delta": 5 * 60, "tau": minutes * 60}
    found = value("save-interval-higher-order", **known) / 60
    assert f"{float(found):.{1 if '.' in printed else 0}f}" == printed
    assert found < value("save-interval", **known) / 60


def test_daly_is_no_equality_with_young():
    (claim,) = [each for each in asked("save-interval").claims if each.claim.source.key == "daly2006"]
    assert claim.judgement.verdict == claim.claim.expected == "refuted"


def test_the_command_line_says_the_same(capsys: pytest.CaptureFixture[str]):
    arguments = ["--params", "7B", "--tokens", "100B", "--gpus", "64", "--peak", "989e12", "--mfu", "35%", "--json"]
    assert main(["training-time", *arguments]) == 0
    data = json.loads(capsys.readouterr().out)
    assert Fraction(data["exact"]) == Fraction(78125, 35604) * DAY
    assert data["unit"] == "second"
