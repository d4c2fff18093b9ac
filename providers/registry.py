"""The formats that are read, in the order they are shown, and which one a document has."""

from providers.base import Format
from providers.document import Document
from providers.errors import AmbiguousFormat, NotAPriceList, UnknownFormat
from providers.formats.aws_price_list import AWS_PRICE_LIST
from providers.formats.aws_savings_plans import AWS_SAVINGS_PLANS
from providers.formats.azure_price_sheet import AZURE_PRICE_SHEET
from providers.formats.azure_retail import AZURE_RETAIL
from providers.formats.curated_offers import CURATED_OFFERS
from providers.formats.curated_table import CURATED_TABLE
from providers.formats.focus import FOCUS
from providers.formats.gcp_billing import GCP_BILLING
from providers.formats.gpuhunt import GPUHUNT
from providers.formats.hotaisle_api import HOTAISLE_API
from providers.formats.infracost import INFRACOST
from providers.formats.karpenter import KARPENTER
from providers.formats.lambda_api import LAMBDA_API
from providers.formats.lium_api import LIUM_API
from providers.formats.mapped import MAPPED
from providers.formats.oci_list import OCI_LIST
from providers.formats.opencost import OPENCOST
from providers.formats.own_csv import OWN_CSV
from providers.formats.own_xlsx import OWN_XLSX
from providers.formats.runpod_api import RUNPOD_API
from providers.formats.skypilot import SKYPILOT
from providers.formats.skypilot_on_prem import SKYPILOT_ON_PREM
from providers.formats.vantage import VANTAGE
from providers.formats.vendor_api import VENDOR_API
from providers.formats.verda_api import VERDA_API
from providers.formats.vultr_api import VULTR_API
from providers.refusals import find_refusal

FORMATS: tuple[Format, ...] = (
    OWN_CSV,
    OWN_XLSX,
    SKYPILOT,
    SKYPILOT_ON_PREM,
    GPUHUNT,
    AZURE_RETAIL,
    AZURE_PRICE_SHEET,
    AWS_PRICE_LIST,
    AWS_SAVINGS_PLANS,
    GCP_BILLING,
    OCI_LIST,
    INFRACOST,
    VANTAGE,
    OPENCOST,
    KARPENTER,
    CURATED_OFFERS,
    CURATED_TABLE,
    HOTAISLE_API,
    LIUM_API,
    LAMBDA_API,
    RUNPOD_API,
    VULTR_API,
    VERDA_API,
    VENDOR_API,
    FOCUS,
    MAPPED,
)


def formats_table() -> str:
    """Return the Markdown table of the formats that the README holds: what of each is read, held and left out."""
    lines = ["| format | key | reads | holds | leaves out |", "|---|---|---|---|---|"]
    lines += [
        f"| {entry.title} | `{entry.key}` | {entry.reads} | {entry.holds} | {entry.ignores} |" for entry in FORMATS
    ]
    return "\n".join(lines) + "\n"


def get_format(key: str) -> Format:
    """Return the format of a key; UnknownFormat with the keys there are when there is none."""
    for entry in FORMATS:
        if entry.key == key:
            return entry
    message = f"there is no price format {key!r}; the formats are {', '.join(entry.key for entry in FORMATS)}"
    raise UnknownFormat(message)


def detect_format(document: Document) -> Format:
    """Return the one format that recognises a document.

    Raises
    ------
    UnknownFormat
        When none does.
    NotAPriceList
        When the document is known to state no prices that can be quoted.
    AmbiguousFormat
        When more than one does; the person chooses.
    """
    found = [entry for entry in FORMATS if entry.recognises(document)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = [entry.key for entry in found]
        message = f"{document.file_name} fits {' and '.join(keys)}; name one of them"
        raise AmbiguousFormat(message, keys)
    refusal = find_refusal(document)
    if refusal is not None:
        message = f"{document.file_name} is {refusal.name}, no price list: {refusal.instead}"
        raise NotAPriceList(message)
    shown = " | ".join(str(cell) for cell in _first_cells(document))
    message = (
        f"{document.file_name} has the shape of no known price list (it begins {shown[:120]!r}); name a format, match "
        "its columns, or use the template of our own CSV"
    )
    raise UnknownFormat(message)


def _first_cells(document: Document) -> list[str]:
    if document.grids:
        records = [record for grid in document.grids for record in grid.records[:1]]
        return [str(cell) for record in records for cell in record.cells[:8]]
    if isinstance(document.json, dict):
        return list(document.json)[:8]
    first = document.json[0] if isinstance(document.json, list) and document.json else None
    return list(first)[:8] if isinstance(first, dict) else []
