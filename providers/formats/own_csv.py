"""Our own CSV: the headers are the names of the quote table; what is exported is read back unchanged."""

from providers.base import Context, Parsed
from providers.document import Document
from providers.own_table import NEEDED, is_own, read_own


class OwnCsv:
    """Quotes typed or edited by hand in our own columns."""

    key = "own_csv"
    title = "Our own CSV"
    reads = (
        "every column of a quote, in any order; a first line may state the decimal sign; estimates as "
        "min / likely / max in a cell or in price_min and price_max"
    )
    holds = "unknown accelerator or region, price not above zero, rates outside the bands, no exchange rate"
    ignores = "note rows that begin with #; derived columns, which are derived anew"

    def recognises(self, document: Document) -> bool:
        """Return whether a text table has enough of our headers."""
        return not document.is_workbook and is_own(document.table(*NEEDED))

    def parse(self, document: Document, context: Context) -> Parsed:
        """Return the offers of the sheet, with a fault for every cell that cannot be read."""
        table = document.table(*NEEDED)
        if table is None:
            return Parsed(rows=0)
        return read_own(table, context)


OWN_CSV = OwnCsv()
