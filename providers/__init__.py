"""Price intake: the bytes of a price file in, one checked table out, every fault named."""

from providers.base import KnownOffer
from providers.contract import DERIVED, QUOTES
from providers.currency import Rate
from providers.differences import Change, compare_quotes, count_changes
from providers.errors import AmbiguousFormat, Fault, NotAPriceList, ProviderError, TableError, UnknownFormat
from providers.export import export_csv, export_workbook, template_csv, template_workbook
from providers.mapping import preview_sheet, read_profile
from providers.rates import derive_rate
from providers.reading import read_quotes
from providers.registry import FORMATS, detect_format, formats_table
from providers.sheet import Duplicate, Held, Ignored, QuoteSheet, Reason

__all__ = [
    "DERIVED",
    "FORMATS",
    "QUOTES",
    "AmbiguousFormat",
    "Change",
    "Duplicate",
    "Fault",
    "Held",
    "Ignored",
    "KnownOffer",
    "NotAPriceList",
    "ProviderError",
    "QuoteSheet",
    "Rate",
    "Reason",
    "TableError",
    "UnknownFormat",
    "compare_quotes",
    "count_changes",
    "derive_rate",
    "detect_format",
    "export_csv",
    "export_workbook",
    "formats_table",
    "preview_sheet",
    "read_profile",
    "read_quotes",
    "template_csv",
    "template_workbook",
]
