"""What the README says of the code is true of the code."""

import re

import pytest
from django.core.management import get_commands

from procurement.choices import workload_presets
from procurement.management.demo.people import DEMO_PASSWORD, DEMO_USERS
from procurement.permissions import ROLES
from providers import FORMATS


@pytest.fixture(scope="module")
def readme(project_folder):
    return (project_folder / "README.md").read_text(encoding="utf-8")


def test_the_format_table_has_a_row_for_each_format_in_its_own_words(readme):
    rows = [f"| {entry.title} | `{entry.key}` | {entry.reads} | {entry.holds} | {entry.ignores} |" for entry in FORMATS]

    table = readme.split("## Price formats")[1].split("## ")[0]
    assert [line for line in table.splitlines() if "| `" in line] == rows


def test_every_command_of_the_project_is_in_the_table(readme):
    ours = {name for name, app in get_commands().items() if app in ("procurement", "reports")}
    table = readme.split("## Commands")[1].split("## ")[0]

    assert {name for name in ours if f"`{name}" not in table} == set()


def test_every_file_and_folder_that_is_named_exists(readme, project_folder):
    patterns = (
        r"`((?:procurement|providers|reports|tests|templates|docs)/[\w./-]+)`",
        r"\]\(([\w/.-]+)\)",
        r"`(\.?\w[\w.-]+\.(?:yaml|lock|example|toml))`",
    )
    named = {name for pattern in patterns for name in re.findall(pattern, readme)}

    missing = {name for name in named if not (project_folder / name).exists()}
    assert named
    assert missing == set()


def test_make_targets_that_are_named_exist(readme, project_folder):
    targets = set(re.findall(r"^([a-z-]+):", (project_folder / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

    assert set(re.findall(r"`?make ([a-z]+)", readme)) - {"makes"} <= targets


def test_people_roles_and_verdicts_are_named(readme):
    assert all(f"| {role} |" in readme for role in ROLES)
    assert all(f"`{name}`" in readme for name in DEMO_USERS)
    assert f"the password of each is `{DEMO_PASSWORD}`" in readme
    demo = readme.split("## The demo")[1].split("## ")[0]
    assert demo.count("\n| ") == len(workload_presets()) + 1  # one row a workload, and the header
