"""The text of a scenario document: JSON, in which whole lines may be comments."""

import json
from typing import Any

from procurement.engine.errors import Fault, ScenarioError
from procurement.engine.scenario_reader import described

COMMENT = "//"


def whole_fault(found: str, expected: str) -> ScenarioError:
    """Return the error of a document that is wrong as a whole."""
    return ScenarioError((Fault("", found, expected, f"document: found {found}; right would be {expected}"),))


def read_document(text: str) -> dict[str, Any]:
    """Return the document of a JSON text, in which whole lines may be comments that begin with `//`.

    Raises
    ------
    ScenarioError
        When the text is no JSON, names a key twice, nests too deeply or is no object.
    """
    text = text.removeprefix("\ufeff")
    lines = ("" if line.lstrip().startswith(COMMENT) else line for line in text.split("\n"))
    try:
        read = json.loads("\n".join(lines), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        found = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise whole_fault(found, "a JSON document") from error
    except RecursionError as error:
        raise whole_fault("a document that nests too deeply", "a document of the form scenario/1") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise whole_fault(str(error), "numbers of at most 15 digits") from error
    if not isinstance(read, dict):
        raise whole_fault(described(read), "an object of the form scenario/1")
    return read


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise whole_fault(f"the key {described(twice)} twice in one object", "each key once")
    return read


def _refuse_constant(name: str) -> None:
    raise whole_fault(name, "finite numbers; a figure that is not known is left out or null")
