"""Media types that are not JSON; the views write them themselves."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer


class _WrittenByView(BaseRenderer):
    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the data as it is."""
        return data


class BinaryRenderer(_WrittenByView):
    """A file as it was received."""

    media_type = "application/octet-stream"
    format = "bin"
    charset = None
    render_style = "binary"


class CsvRenderer(_WrittenByView):
    """A flat table."""

    media_type = "text/csv"
    format = "csv"


class HtmlRenderer(_WrittenByView):
    """A page to read."""

    media_type = "text/html"
    format = "html"


class YamlRenderer(_WrittenByView):
    """The OpenAPI file."""

    media_type = "application/yaml"
    format = "yaml"
