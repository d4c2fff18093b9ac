"""Our own XLSX workbook: the columns of our own CSV on one sheet."""

from providers.base import Context, Parsed
from providers.document import Document, unread
from providers.own_table import NEEDED, is_own, read_own


class OwnXlsx:
    """Quotes edited in a spreadsheet program, in our own columns."""

    key = "own_xlsx"
    title = "Our own XLSX"
    reads = "the first sheet with our headers; numbers as the workbook holds them"
    holds = "as our own CSV"
    ignores = "other sheets; empty rows; note rows that begin with #"

    def recognises(self, document: Document) -> bool:
        """Return whether a sheet of a workbook has enough of our headers."""
        return document.is_workbook and is_own(document.table(*NEEDED))

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return the offers of the sheet, with a fault for every cell that cannot be read."""
        table = document.table(*NEEDED)
        if table is None:
            return Parsed(rows=0)
        parsed = read_own(table, context)
        parsed.notes += unread(document, NEEDED, table)
        return parsed


OWN_XLSX = OwnXlsx()
