"""The direction of imports, by the contracts in pyproject.toml, and that each of them bites."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"

# A bad import for each contract: file to add -> its text.
BAD_IMPORTS = {
    "procurement/selectors/bad.py": "import procurement.services.jobs\n",
    "procurement/bad_floor.py": "",
    "providers/bad.py": "import django\n",
    "reports/bad.py": "import procurement.services.jobs\n",
    "procurement/views/bad.py": "import procurement.engine.tables\n",
    "providers/formats/bad_one.py": "import providers.formats.bad_two\n",
    "providers/formats/bad_two.py": "",
    "procurement/engine/costs/components/bad_one.py": "import procurement.engine.costs.components.bad_two\n",
    "procurement/engine/costs/components/bad_two.py": "",
    "reports/definitions/bad_one.py": "import reports.definitions.bad_two\n",
    "reports/definitions/bad_two.py": "",
}


def contracts_in(folder: Path) -> dict[str, str]:
    """Return KEPT or BROKEN by the name of each contract."""
    run = subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )
    found = re.findall(r"^(.+) (KEPT|BROKEN)(?: \(.*\))?$", run.stdout, flags=re.MULTILINE)
    assert found, run.stdout + run.stderr
    return dict(found)


def broken_imports(folder: Path) -> str:
    run = subprocess.run([sys.executable, "-c", LINT, "--no-cache"], cwd=folder, capture_output=True, text=True)
    return run.stdout[run.stdout.find("Broken contracts") :]


def test_every_contract_is_kept():
    broken = [name for name, state in contracts_in(PROJECT).items() if state == "BROKEN"]

    assert not broken, broken_imports(PROJECT)


@pytest.fixture
def copy_with_bad_imports(tmp_path):
    for package in ("procurement", "providers", "reports"):
        shutil.copytree(PROJECT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "static"))
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    for name, text in BAD_IMPORTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_contract_is_broken_by_its_bad_import(copy_with_bad_imports):
    kept = [name for name, state in contracts_in(copy_with_bad_imports).items() if state == "KEPT"]

    assert kept == []


def test_there_are_the_nine_contracts_of_the_house():
    assert len(contracts_in(PROJECT)) == 9


def test_no_exception_was_made_from_any_contract():
    assert "ignore_imports" not in (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
