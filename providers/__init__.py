"""Price intake: the bytes of a price file in, one checked table out, every fault named."""

from providers.contract import DERIVED, QUOTES
from providers.currency import Rate
from providers.errors import AmbiguousFormat, Fault, NotAPriceList, ProviderError, TableError, UnknownFormat
from providers.export import export_csv, export_workbook, template_csv, template_workbook
from providers.reading import read_quotes
from providers.registry import FORMATS, detect_format
from providers.sheet import Duplicate, Held, Ignored, QuoteSheet, Reason

__all__ = [
    "DERIVED",
    "FORMATS",
    "QUOTES",
    "AmbiguousFormat",
    "Duplicate",
    "Fault",
    "Held",
    "Ignored",
    "NotAPriceList",
    "ProviderError",
    "QuoteSheet",
    "Rate",
    "Reason",
    "TableError",
    "UnknownFormat",
    "detect_format",
    "export_csv",
    "export_workbook",
    "read_quotes",
    "template_csv",
    "template_workbook",
]
