"""The interface described: index, OpenAPI file, Swagger page and a plain page."""

import functools
from typing import Any

import yaml
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView
from procurement.api.openapi import OPENAPI_FILE
from procurement.api.renderers import HtmlRenderer, YamlRenderer

INDEX = (
    "providers", "sites", "accelerator_aliases", "price_sheets", "import_profiles", "quotes",
    "builds", "workloads", "workload_presets",
    "assumption_sets", "runs", "latest_recommendations", "decisions", "jobs", "history", "tokens", "tables", "evaluate",
    "me", "schema", "docs", "reference",
)  # fmt: skip
METHODS = ("get", "post", "patch", "delete")


class IndexApi(ApiView):
    """Where everything is."""

    is_for_everybody = True
    output = {"type": "object", "additionalProperties": {"type": "string"}}

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the addresses."""
        return Response({name: request.build_absolute_uri(reverse(f"api:{name}")) for name in INDEX})


class OpenApiFileApi(ApiView):
    """The OpenAPI file of this interface."""

    is_for_everybody = True
    renderer_classes = (YamlRenderer, JSONRenderer)
    output = {"type": "object", "additionalProperties": True}

    def get(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Return the file."""
        if request.accepted_renderer.format == "json":
            return HttpResponse(JSONRenderer().render(openapi_document()), content_type="application/json")
        return HttpResponse(OPENAPI_FILE.read_bytes(), content_type="application/yaml")


class SwaggerApi(SpectacularSwaggerSplitView):
    """Swagger UI, with its script apart so that no inline script is needed."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    url_name = "api:schema"
    template_name = "api/swagger.html"


class ReferenceApi(ApiView):
    """The interface as a plain page, without script."""

    is_for_everybody = True
    renderer_classes = (HtmlRenderer, JSONRenderer)
    output = {"type": "string"}

    def get(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Return the page."""
        return render(request._request, "api/reference.html", {"operations": reference_text()})


@functools.cache
def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI file as data; it is part of the program, so it is read once."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load(OPENAPI_FILE.read_text(encoding="utf-8"), Loader=loader)
    return document


@functools.cache
def reference_text() -> str:
    """Return the operations as HTML; they are part of the program, so they are written once."""
    return render_to_string("api/operations.html", {"groups": reference_groups()})


def reference_groups() -> dict[str, list[dict[str, Any]]]:
    """Return the operations by resource, as the plain page shows them."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, operations in openapi_document()["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                groups.setdefault(operation["tags"][0], []).append(_shown(path, method, operation))
    return dict(sorted(groups.items()))


def _shown(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    return {
        "path": path,
        "method": method.upper(),
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "parameters": [
            {"name": entry["name"], "place": entry["in"], "meaning": entry.get("description", "")}
            for entry in map(_resolved, operation.get("parameters", ()))
        ],
        "fields": _fields(operation),
        "statuses": ", ".join(operation["responses"]),
    }


def _resolved(entry: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in entry:
        return entry
    found: dict[str, Any] = openapi_document()["components"]["parameters"][entry["$ref"].rsplit("/", 1)[-1]]
    return found


def _fields(operation: dict[str, Any]) -> list[dict[str, Any]]:
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = next((media["schema"] for media in content.values()), {})
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    schema = openapi_document()["components"]["schemas"].get(name, schema)
    required = set(schema.get("required", ()))
    return [
        {
            "name": field,
            "type": properties.get("type", "decimal" if "oneOf" in properties else "object"),
            "is_required": field in required,
            "meaning": properties.get("description", ""),
            "choices": ", ".join(str(code) for code in properties.get("enum", ()) if code),
        }
        for field, properties in schema.get("properties", {}).items()
    ]
