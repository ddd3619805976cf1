"""The command line beside other packages of the same names: which of them is in the way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def installed(folder: Path) -> Path:
    """A copy of the three packages, laid out as an installation lays them out."""
    for name in ("derive", "formulas", "checks"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def beside(site: Path, where: Path, *arguments: str) -> tuple[int, str, str]:
    """One run of an installed copy from inside a folder, which Python puts first on its path."""
    done = subprocess.run(
        [sys.executable, "-m", "derive", *arguments], cwd=where, env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", ["formulas", "checks"])
@pytest.mark.parametrize("form", ["{}/__init__.py", "{}.py"])
def test_a_foreign_package_earlier_on_the_path_is_named(tmp_path, name, form):
    site, work = installed(tmp_path / "site"), tmp_path / "site" / "work"
    foreign = work / form.format(name)
    foreign.parent.mkdir(parents=True)
    foreign.write_text("raise SystemExit('the foreign package ran')\n")
    code, out, err = beside(site, work, "list")
    assert (code, out) == (2, "")
    assert err.startswith(f"derive: error: the package {name!r} beside {site / 'derive'} is needed, but another ")
    assert str(foreign.parent) in err
    assert err.endswith(": install shapeproof into a virtual environment of its own\n")
    assert err.count("\n") == 1


def test_a_folder_of_that_name_that_is_no_package_is_harmless(tmp_path):
    site, work = installed(tmp_path / "site"), tmp_path / "work"
    (work / "formulas").mkdir(parents=True)
    code, out, err = beside(site, work, "list")
    assert (code, err) == (0, "")
    assert "matmul-flops" in out


def test_a_package_that_another_distribution_overwrote_is_named(tmp_path):
    site, work = installed(tmp_path / "site"), tmp_path / "work"
    work.mkdir()
    (site / "formulas" / "__init__.py").write_text('"""Another distribution of this name."""\n')
    code, out, err = beside(site, work, "list")
    assert (code, out) == (2, "")
    assert err.startswith("derive: error: the package 'formulas' ")
    assert "fault of derive" not in err
    assert err.count("\n") == 1


def test_a_missing_package_is_named(tmp_path):
    site, work = installed(tmp_path / "site"), tmp_path / "work"
    work.mkdir()
    shutil.rmtree(site / "checks")
    code, out, err = beside(site, work, "list")
    assert (code, out) == (2, "")
    # Beside an editable installation, as the README makes one, Python finds the clone's own folder instead.
    assert "but it was not found" in err or "but another package of that name is at " in err
    assert err.startswith(f"derive: error: the package 'checks' beside {site / 'derive'} is needed")
