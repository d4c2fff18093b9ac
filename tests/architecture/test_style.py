"""Rules of the house that no linter knows."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.sources import PROJECT, calls, name_of, python_files, templates, tracked_files, tree_of

MOST_LINES = 400
MOST_TEMPLATE_LINES = 120


def test_no_file_is_longer_than_400_lines():
    long = {name_of(path): _lines(path) for path in python_files(with_tests=True) if _lines(path) > MOST_LINES}

    assert not long


def test_no_template_is_longer_than_120_lines():
    long = {name_of(path): _lines(path) for path in templates() if _lines(path) > MOST_TEMPLATE_LINES}

    assert not long


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_import_is_inside_a_function():
    inside = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files(with_tests=True)
        for function in ast.walk(tree_of(path))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]

    assert not inside


def test_no_django_signal_is_received():
    found = [
        f"{name_of(path)}:{call.lineno}"
        for path in python_files()
        for name, call in calls(tree_of(path))
        if name == "receiver"
    ]
    imported = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module in {"django.dispatch", "django.db.models.signals"}
    ]

    assert not found + imported


def test_no_model_overrides_save_or_delete():
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files()
        if "models" in path.parts or path.name == "models.py"
        for owner in ast.walk(tree_of(path))
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.name in {"save", "delete"}
    ]

    assert not found


def test_nothing_turns_off_escaping_or_the_check_of_forgery():
    banned = {"mark_safe", "csrf_exempt"}
    found = [
        f"{name_of(path)}:{node.lineno} {alias.name}"
        for path in python_files()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in banned
    ]

    assert not found


def test_t3_no_task_is_called_with_a_countdown_or_an_eta():
    found = [
        f"{name_of(path)}:{call.lineno}"
        for path in python_files(with_tests=True)
        for _, call in calls(tree_of(path))
        if {keyword.arg for keyword in call.keywords} & {"countdown", "eta"}
    ]

    assert not found


def test_nobody_catches_everything():
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in python_files()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler)
        if node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"})
    ]

    assert not found


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("unescaped output", r"\|\s*safe\b|autoescape off"),
        ("style in the page, which the content policy forbids", r"\sstyle="),
        ("script in the page without nonce", r"<script(?![^>]*\b(?:src|nonce)=)[^>]*>"),
        ("handler in an attribute", r"\son[a-z]+="),
    ],
)
def test_no_template_has(what, pattern):
    found = [
        f"{name_of(path)}:{number}"
        for path in templates()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line) and "/email/" not in path.as_posix()
    ]

    assert not found, what


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        (
            "package index or file host",
            r"py" + r"pi\.org|python" + r"hosted|--(?:extra-)?index-" + r"url|artifac" + r"tory",
        ),
        ("path of one machine", r"(?<![\w.:/-])/(?:ro" + r"ot|ho" + r"me|wo" + r"rk|Us" + r"ers)/\w"),
    ],
)
def test_no_file_of_the_repository_names_a(what, pattern):
    found = []
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{name_of(path)}: {match.group()}" for match in re.finditer(pattern, text)]

    assert not found, what


def test_the_package_of_the_engine_loads_neither_django_nor_celery():
    assert (PROJECT / "procurement" / "__init__.py").read_text(encoding="utf-8") == ""


def test_every_advisory_lock_is_taken_through_the_file_that_keeps_their_keys_apart():
    taken = [name_of(path) for path in python_files() if "pg_advisory" in path.read_text(encoding="utf-8")]

    assert taken == ["procurement/services/locks.py"]
