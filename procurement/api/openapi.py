"""The OpenAPI file: made from the views, kept in the repository, served as it is kept."""

from pathlib import Path

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema

from procurement.errors import ProcurementError

OPENAPI_FILE = Path(__file__).with_name("openapi-v1.yaml")


def openapi_text() -> str:
    """Return the file as the views say it now; refuses views that cannot be described."""
    GENERATOR_STATS.reset()
    document = SchemaGenerator().get_schema(request=None, public=True)
    if GENERATOR_STATS:
        GENERATOR_STATS.emit_summary()
        raise ProcurementError("openapi", "Some views cannot be described; see the warnings above.")
    validate_schema(document)
    text: str = OpenApiYamlRenderer().render(document, renderer_context={}).decode()
    return text
