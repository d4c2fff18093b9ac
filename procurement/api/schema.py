"""How views become the OpenAPI file: their attributes say what comes in, what goes out and what may go wrong."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import uritemplate
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import force_instance

from procurement.api.pagination import page_parameters

PROBLEM = {
    "type": "object",
    "description": "What was refused and why (RFC 9457).",
    "required": ["type", "title", "status", "code", "detail", "request_id", "errors"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "stable name of the fault"},
        "detail": {"type": "string", "description": "a sentence that names the thing, the value and what is right"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["detail"],
                "properties": {
                    "pointer": {"type": "string", "description": "JSON pointer into the body"},
                    "parameter": {"type": "string", "description": "query parameter"},
                    "header": {"type": "string"},
                    "detail": {"type": "string"},
                    "found": {"type": "string"},
                    "expected": {"type": "string"},
                },
            },
        },
        "current_version": {"type": "integer", "description": "412 only"},
        "differences": {
            "type": "array",
            "description": "412 only: both values of every field that differs",
            "items": {"type": "object", "properties": {"field": {"type": "string"}, "stored": {}, "asked": {}}},
        },
    },
}
TEXT = {"type": "string"}
REPLY_HEADERS = {
    "X-Request-Id": {"schema": TEXT, "description": "names the request in the logs"},
    "X-RateLimit-Limit": {"schema": TEXT, "description": "requests a minute"},
    "X-RateLimit-Remaining": {"schema": TEXT},
    "X-RateLimit-Reset": {"schema": TEXT, "description": "seconds until the minute is over"},
}
IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "schema": {"type": "string", "pattern": r'^(W/)?"\d{1,9}"$'},
    "description": "the ETag of the version that the change is meant for",
}
IF_NONE_MATCH = {
    "name": "If-None-Match", "in": "header", "schema": TEXT, "description": "the ETag that the client holds",
}  # fmt: skip
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 200},
    "description": "a new key for each new request; sent again, the first reply is given again",
}  # fmt: skip
ETAG = {"ETag": {"schema": TEXT, "description": "the version in quotes"}}
CODE: dict[str, Any] = {"schema": {"type": "string"}, "description": "code; `/` is written ~1 and `~` is written ~0"}
NUMBER = {"schema": {"type": "integer", "minimum": 1, "maximum": 2**53}}
PATH_PARAMETERS: dict[str, dict[str, Any]] = {
    "id": NUMBER,
    "row_id": NUMBER,
    "number": NUMBER,
    "evaluation_id": {"schema": {"type": "string", "format": "uuid"}},
}
ALWAYS = (400, 401, 403, 406, 429, 503)


class ApiSchema(AutoSchema):
    """Reads `input`, `output`, `filters`, `is_paged` and their kind from the views of procurement.api.base."""

    def get_operation_id(self) -> str:
        """Return a name from method and view: `QuoteListApi` read is `quote_list_get`."""
        words = re.findall("[A-Z][a-z]+", type(self.view).__name__.removesuffix("Api"))
        return "_".join([*(word.lower() for word in words), self.method.lower()])

    def get_tags(self) -> list[str]:
        """Return the resource."""
        return [self.view.resource or "service"]

    def get_summary(self) -> str | None:
        """Return the first line of the view's docstring."""
        return (type(self.view).__doc__ or "").strip().split("\n")[0].rstrip(".")

    def get_description(self) -> str:
        """Return who may do it."""
        if self.view.is_for_everybody:
            return "Open to everybody."
        if self.view.is_for_anyone_signed_in:
            return "Open to anyone signed in."
        action = self.view.actions.get(self.method, "record.view")
        access = "read" if self.method == "GET" else "write"
        return f"Action `{action}`, scope `{self.view.resource}:{access}`."

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the ways to sign in; none for what is open."""
        return [{}] if self.view.is_for_everybody else super().get_auth()

    def get_override_parameters(self) -> list[Any]:
        """Return none: `_get_parameters` writes them all."""
        return []

    def get_request_serializer(self) -> Any:
        """Return what comes in."""
        schema = getattr(self.view, "input_schema", None)
        return self.view.input if schema is None else {"application/json": schema}

    def get_response_serializers(self) -> Any:
        """Return what goes out, for the library's own guesses."""
        return self.view.output

    def _get_parameters(self) -> list[dict[str, Any]]:
        parameters = [
            {"name": name, "in": "path", "required": True, **PATH_PARAMETERS.get(name, CODE)}
            for name in uritemplate.variables(self.path)
        ]
        parameters += self.view.described_parameters(self.method)
        if self._needs_version():
            parameters.append({"$ref": "#/components/parameters/IfMatch"})
        if self.method == "GET" and self._may_be_not_modified():
            parameters.append({"$ref": "#/components/parameters/IfNoneMatch"})
        if self.method == "POST" and getattr(self.view, "takes_idempotency_key", True):
            parameters.append({"$ref": "#/components/parameters/IdempotencyKey"})
        return parameters

    def _get_response_bodies(self, direction: str = "response") -> dict[str, Any]:
        replies = {str(status): reply for status, reply in self._successes()}
        refused = {str(status): {"$ref": "#/components/responses/Refused"} for status in sorted(self._refusals())}
        return {**replies, **refused}

    def _successes(self) -> list[tuple[int, dict[str, Any]]]:
        if self.method == "GET":
            replies = [(200, self._reply(self.view.described_reply(self._reference(self.view.output))))]
            return [*replies, (304, {"description": "the client holds it"})] if self._may_be_not_modified() else replies
        if self.method == "POST":
            shown = self._reply(self._reference(self.view.output))
            return [(status, shown) for status in self.view.success_statuses()]
        return [(200, self._reply(self._reference(self.view.output)))]

    def _reply(self, schema: dict[str, Any] | None) -> dict[str, Any]:
        headers = _references("headers", [*REPLY_HEADERS, *(ETAG if self._is_versioned() else ())])
        if schema is None:
            return {"description": "done", "headers": headers}
        media_types = [renderer.media_type for renderer in self.view.renderer_classes]
        return {
            "description": "",
            "headers": headers,
            "content": {media_type: {"schema": schema} for media_type in media_types},
        }

    def _refusals(self) -> set[int]:
        statuses = set(ALWAYS)
        if self.view.is_for_everybody:
            statuses -= {401, 403}
        if "{" in self.path or self.method != "GET":
            statuses.add(404)
        if self.method != "GET" or self.view.may_conflict:
            statuses.add(409)
        if self.method in ("POST", "PATCH"):
            statuses |= {413, 415, 422}
        if self._needs_version():
            statuses |= {412, 428}
        return statuses

    def _reference(self, serializer: Any) -> dict[str, Any] | None:
        if serializer is None or isinstance(serializer, Mapping):
            return dict(serializer) if serializer else None
        return dict(self.resolve_serializer(force_instance(serializer), "response").ref)

    def _is_versioned(self) -> bool:
        is_list = self.view.is_paged and self.method == "GET"
        return not is_list and "version" in getattr(getattr(self.view.output, "Meta", None), "fields", ())

    def _needs_version(self) -> bool:
        is_change = self.method in ("PATCH", "DELETE") and self._is_versioned()
        return is_change or (self.method == "POST" and self._has("has_precondition"))

    def _may_be_not_modified(self) -> bool:
        return self._is_versioned() and self._has("has_not_modified")

    def _has(self, name: str) -> bool:
        return bool(getattr(self.view, name, False))


def shared_components(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Add what all operations refer to: the problem document, headers and parameters of every request."""
    components = result["components"]
    components["schemas"]["Problem"] = PROBLEM
    components["headers"] = {**REPLY_HEADERS, **ETAG}
    components["parameters"] = {
        "IfMatch": IF_MATCH,
        "IfNoneMatch": IF_NONE_MATCH,
        "IdempotencyKey": IDEMPOTENCY_KEY,
        **page_parameters(),
    }
    components["responses"] = {
        "Refused": {
            "description": "Refused, with every fault.",
            "headers": _references("headers", ["X-Request-Id"]),
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    }
    return result


def _references(kind: str, names: Iterable[str]) -> dict[str, dict[str, str]]:
    return {name: {"$ref": f"#/components/{kind}/{name}"} for name in names}
