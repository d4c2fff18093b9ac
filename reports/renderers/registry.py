"""The shelf of formats."""

from collections.abc import Mapping

from procurement.errors import ProcurementError
from reports.renderers.base import Renderer
from reports.renderers.csv import RENDERER as CSV
from reports.renderers.html import RENDERER as HTML
from reports.renderers.json import RENDERER as JSON
from reports.renderers.pdf import RENDERER as PDF
from reports.renderers.xlsx import RENDERER as XLSX

RENDERERS: tuple[Renderer, ...] = (HTML, CSV, JSON, XLSX, PDF)
_BY_KEY: Mapping[str, Renderer] = {renderer.key: renderer for renderer in RENDERERS}


def get_renderer(key: str) -> Renderer:
    """Return a format by its key; an unknown one is refused with the known ones."""
    if key not in _BY_KEY:
        message = f"There is no format `{key[:20]}`; the formats are {', '.join(_BY_KEY)}."
        raise ProcurementError("unknown_format", message, {"format": [message]})
    return _BY_KEY[key]
