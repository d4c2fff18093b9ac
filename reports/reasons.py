"""The sentence of every code: why an offer or a build cannot serve, why an option won, what must hold before signature.

The engine gives codes with numbers, this module the words. A code without a sentence fails a test.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from reports.reason_tables import CONDITIONS, EXCLUSIONS, FIELDS, FLAGS, NOT_MODELLED, NOTES, RECOMMENDED
from reports.sentences import fill, words

Names = Callable[[str], str]
SENTENCES: Mapping[str, str] = {**NOTES, **FLAGS, **EXCLUSIONS, **CONDITIONS, **RECOMMENDED}


def reason_code(reason: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the code of a reason and its figures; ``missing:price`` is the code `missing` with a detail."""
    figures = dict(reason) if isinstance(reason, Mapping) else {"code": reason}
    head, _, detail = str(figures.pop("code", "")).partition(":")
    if detail and "detail" not in figures:
        figures["detail"] = detail
    return head, figures


def reason_sentence(reason: str | Mapping[str, Any], currency: str = "", names: Names = str) -> str:
    """Return the sentence of a reason, condition, note or flag, with its figures; ``names`` says options in words."""
    code, figures = reason_code(reason)
    if figures.get("option"):
        figures["option"] = names(str(figures["option"]))
    if figures.get("constraint"):
        name = exclusion_name(str(figures["constraint"]))
        figures["constraint"] = name[:1].upper() + name[1:]
    if isinstance(figures.get("because"), list | tuple):
        figures["because"] = " ".join(reason_sentences(figures["because"], currency, names))
    if "detail" in figures:
        figures.setdefault("field", FIELDS.get(str(figures["detail"]), words(figures["detail"])))
    pattern = SENTENCES.get(code)
    if pattern is None:
        return _unlisted(code, figures)
    return fill(pattern, figures, currency)


def reason_sentences(
    reasons: Iterable[str | Mapping[str, Any]] | None, currency: str = "", names: Names = str
) -> list[str]:
    """Return the sentences of several reasons, each once, in their order."""
    return list(dict.fromkeys(reason_sentence(reason, currency, names) for reason in reasons or ()))


def exclusion_name(reason: str) -> str:
    """Return the constraint of an exclusion count as a short name: `wrong accelerator`, `no price stated`."""
    code, figures = reason_code(reason)
    if code == "missing":
        return f"{words(figures.get('detail', 'a fact'))} not stated"
    if code == "no_rate":
        return f"no published rate for {figures.get('detail', 'the accelerator')}"
    return words(code)


def not_modelled_sentence(code: str | Mapping[str, Any]) -> str:
    """Return what the figures leave out, in words."""
    head, figures = reason_code(code)
    detail = f" ({words(figures['detail'])})" if "detail" in figures else ""
    return NOT_MODELLED.get(head, words(head).capitalize()) + detail


def _unlisted(code: str, figures: Mapping[str, Any]) -> str:
    told = ", ".join(f"{words(key)} {words(value)}" for key, value in figures.items() if key != "field")
    return f"{words(code).capitalize()}{': ' if told else ''}{told}."
