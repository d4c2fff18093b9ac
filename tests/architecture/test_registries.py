"""Lists that are written by hand agree with what they list."""

import ast

import pytest
from celery import current_app
from django.core.management import call_command

from procurement.config.settings import CELERY_BEAT_SCHEDULE
from procurement.tasks import JOB_FAREWELLS, JOB_KINDS
from tests.architecture.sources import PROJECT, calls, name_of, python_files, tree_of

SHELVES = ["providers/formats", "procurement/engine/costs/components", "reports/definitions", "reports/renderers"]


@pytest.mark.parametrize("shelf", SHELVES)
def test_every_file_of_a_shelf_is_in_its_registry(shelf):
    folder = PROJECT / shelf
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "base", "registry"}

    registry = _registry_of(shelf)

    assert files
    assert files <= _imported_from(registry, shelf.replace("/", "."))


def _registry_of(shelf):
    folder = (PROJECT / shelf).parent
    found = [path for path in (folder / "registry.py", PROJECT / shelf / "registry.py") if path.is_file()]
    mentioning = [path for path in found if shelf.replace("/", ".") in path.read_text(encoding="utf-8")]
    assert mentioning, f"no registry imports from {shelf}"
    return mentioning[0]


def _imported_from(registry, package):
    names = set()
    for node in ast.walk(tree_of(registry)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == package:
                names |= {alias.name for alias in node.names}
            elif node.module.startswith(f"{package}."):
                names.add(node.module.removeprefix(f"{package}.").split(".")[0])
    return names


def test_every_kind_of_job_that_is_asked_for_has_its_service():
    asked = {
        (name_of(path), keyword.value.value)
        for path in python_files()
        for name, call in calls(tree_of(path))
        if name == "job_request"
        for keyword in call.keywords
        if keyword.arg == "kind" and isinstance(keyword.value, ast.Constant)
    }

    assert asked
    assert {kind for _, kind in asked} <= set(JOB_KINDS), asked


def test_every_farewell_belongs_to_a_kind():
    assert set(JOB_FAREWELLS) <= set(JOB_KINDS)


def test_every_entry_of_the_schedule_names_a_task():
    current_app.loader.import_default_modules()

    assert {entry["task"] for entry in CELERY_BEAT_SCHEDULE.values()} <= set(current_app.tasks)


@pytest.mark.django_db
def test_migrations_are_complete():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
