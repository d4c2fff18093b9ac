"""The sources that the architecture tests read."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("procurement", "providers", "reports")
SKIPPED = {".git", ".venv", "var", "node_modules", "__pycache__", ".hypothesis"}


@cache
def python_files(*, with_tests: bool = False) -> tuple[Path, ...]:
    """Return the hand-written Python files: migrations are made by Django."""
    folders = (*PACKAGES, "tests") if with_tests else PACKAGES
    found = [path for folder in folders for path in sorted((PROJECT / folder).rglob("*.py"))]
    return tuple(path for path in found if "migrations" not in path.parts and not SKIPPED & set(path.parts))


@cache
def templates() -> tuple[Path, ...]:
    """Return every template."""
    return tuple(sorted((PROJECT / "templates").rglob("*.html")))


@cache
def tracked_files() -> tuple[Path, ...]:
    """Return the files of the repository, or all files where there is no repository (an unpacked archive)."""
    if (PROJECT / ".git").exists():
        names = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=PROJECT, check=True, capture_output=True, text=True
        ).stdout
        found = [PROJECT / name for name in names.split("\0") if name]
        return tuple(path for path in found if path.is_file())
    return tuple(path for path in PROJECT.rglob("*") if path.is_file() and not SKIPPED & set(path.parts))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def name_of(path: Path) -> str:
    """Return the path as people write it."""
    return path.relative_to(PROJECT).as_posix()


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield every call with the last part of the name of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id, node
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr, node
