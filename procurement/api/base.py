"""What every view of the interface does: sign-in, scope and role, known parameters, problems, pages, versions."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from django.db.models.fields.files import FieldFile
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from procurement.api.authentication import CsrfSessionAuthentication, TokenAuthentication
from procurement.api.conditional import etag, is_not_modified, version_asked
from procurement.api.errors import problem_handler
from procurement.api.filters import Filter, filtered, one_parameter, refuse_unknown_parameters
from procurement.api.idempotency import carried_out_once
from procurement.api.pagination import PAGE_PARAMETERS, page, page_parameters, page_schema
from procurement.api.parsing import StrictJsonParser
from procurement.api.problems import Refusal
from procurement.api.schema import ApiSchema
from procurement.api.throttling import SubjectThrottle
from procurement.models import ApiToken
from procurement.permissions import require
from procurement.services.actors import Actor
from procurement.tasks import nudge

SAFE = ("GET", "HEAD", "OPTIONS")
ARCHIVED = Filter("include_archived", "", "also records that were taken out of use", "flag")
REASON = Filter("reason", "", "why, for the history", "text")


class ApiView(APIView):
    """A view under /api/v1/.

    ``resource`` is the scope a token needs, ``actions`` the action of permissions.ACTIONS by method (reading needs
    `record.view`), ``filters`` the query parameters of GET.
    """

    authentication_classes = (TokenAuthentication, CsrfSessionAuthentication)
    permission_classes = ()
    throttle_classes = (SubjectThrottle,)
    parser_classes: Sequence[type] = (StrictJsonParser,)
    renderer_classes: Sequence[type] = (JSONRenderer,)
    metadata_class = None
    schema = ApiSchema()

    resource: ClassVar[str] = ""
    actions: ClassVar[Mapping[str, str]] = {}
    filters: ClassVar[tuple[Filter, ...]] = ()
    output: ClassVar[Any] = None
    input: ClassVar[Any] = None
    is_paged: ClassVar[bool] = False
    may_conflict: ClassVar[bool] = False
    is_for_everybody: ClassVar[bool] = False
    is_for_anyone_signed_in: ClassVar[bool] = False

    rate_headers: Mapping[str, str] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse who may not ask and what cannot be asked."""
        super().initial(request, *args, **kwargs)
        if request.method not in self.allowed_methods and request.method != "HEAD":
            raise MethodNotAllowed(request.method or "")
        refuse_unknown_parameters(request, self.parameters(request.method or ""))

    def check_permissions(self, request: Request) -> None:
        """Refuse a request without a person, without the scope or without the role."""
        if self.is_for_everybody:
            return
        if not request.user.is_authenticated:
            error = NotAuthenticated("Sign in: send a token by Basic or Bearer, or use the session of your browser.")
            raise error
        if isinstance(request.auth, ApiToken):
            _require_scope(request.auth, self.resource, is_write=request.method not in SAFE)
        if not self.is_for_anyone_signed_in:
            require(request.user, self.actions.get(request.method or "", "record.view"))

    def parameters(self, method: str) -> set[str]:
        """Return the query parameters that a method knows."""
        if method == "DELETE":
            return {REASON.name}
        if method not in SAFE:
            return set()
        paging = PAGE_PARAMETERS if self.is_paged else ()
        return {*(item.name for item in self.filters), *paging}

    def described_parameters(self, method: str) -> list[dict[str, Any]]:
        """Return the query parameters of a method as in the OpenAPI file."""
        if method == "DELETE":
            return [REASON.parameter()]
        if method not in SAFE:
            return []
        paging = page_parameters() if self.is_paged else ()
        return [
            *(item.parameter() for item in self.filters),
            *({"$ref": f"#/components/parameters/{name}"} for name in paging),
        ]

    def described_reply(self, schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return the JSON schema of the reply to GET."""
        if schema is None:
            return None
        return page_schema(schema) if self.is_paged else dict(schema)

    def success_statuses(self) -> tuple[int, ...]:
        """Return the statuses of a POST that was carried out."""
        return (200,)

    def get_exception_handler(self) -> Any:
        """Return what turns exceptions into problem documents."""
        return problem_handler

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Tell which methods the address offers."""
        return HttpResponse(status=204, headers={"Allow": ", ".join(self.allowed_methods)})

    def finalize_response(self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any) -> Any:
        """Add the rate headers, and ring for the jobs that a change has queued."""
        final = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[arg-type]
        for name, value in self.rate_headers.items():
            final[name] = value
        if request.method not in SAFE and final.status_code < 300:
            nudge()
        return final

    def read_body(self, request: Request, record: Any = None) -> tuple[dict[str, Any], str]:
        """Return the checked values of the body and the reason given; a body for a record may hold a part only."""
        serializer = self.input(record, data=request.data, partial=record is not None)
        serializer.is_valid(raise_exception=True)
        values = dict(serializer.validated_data)
        return values, str(values.pop("reason", ""))

    def shown(self, record: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
        """Return a record as a reply, with its ETag."""
        response = Response(
            self.output(record, context=self.context()).data, status=status, headers=dict(headers or {})
        )
        tag = etag(record)
        if tag is not None:
            response["ETag"] = tag
        return response

    def context(self) -> dict[str, Any]:
        """Return what output serializers may use."""
        return {"request": self.request, "view": self}


class ListApi(ApiView):
    """GET of a list, page by page; subclasses say which records."""

    is_paged = True

    def records(self, **kwargs: Any) -> QuerySet[Any]:
        """Return the records of the address."""
        raise NotImplementedError

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return one page."""
        records = filtered(request, self.records(**kwargs), [item for item in self.filters if item.lookup])
        if ARCHIVED in self.filters and not one_parameter(request, ARCHIVED):
            records = records.filter(is_archived=False)
        return Response(page(request, records, self.rows))

    def rows(self, records: Sequence[Any]) -> Any:
        """Return the rows of a page."""
        serializer: BaseSerializer[Any] = self.output(records, many=True, context=self.context())
        return serializer.data


class PostApi(ApiView):
    """POST that is carried out once for each Idempotency-Key; subclasses do the work in ``act``."""

    success_status: ClassVar[int] = 201
    has_precondition: ClassVar[bool] = False

    def success_statuses(self) -> tuple[int, ...]:
        """Return the statuses of a POST that was carried out."""
        return (self.success_status,)

    def post(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Carry the request out."""
        return carried_out_once(request, lambda: self.act(request, **kwargs))

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Do the work once."""
        raise NotImplementedError


class CreateApi(PostApi):
    """POST of a new record; subclasses name the service."""

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> Any:
        """Store a new record."""
        raise NotImplementedError

    def location(self, record: Any) -> str:
        """Return the address of a record."""
        raise NotImplementedError

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Store what the body says."""
        values, reason = self.read_body(request)
        record = self.create(actor(request, reason), values, **kwargs)
        return self.shown(record, status=201, headers={"Location": self.location(record)})


class DetailApi(ApiView):
    """GET of one record; subclasses say which, and whether its version tells all its changes."""

    has_not_modified: ClassVar[bool] = True

    def record(self, **kwargs: Any) -> Any:
        """Return the record of the address, or refuse with 404."""
        raise NotImplementedError

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return the record, or 304 when the client holds this version."""
        record = self.record(**kwargs)
        tag = etag(record)
        if self.has_not_modified and is_not_modified(request, tag):
            return HttpResponse(status=304, headers={"ETag": tag or ""})
        return self.shown(record)


class ChangeApi(DetailApi):
    """PATCH of a record that is still at the version in If-Match; subclasses name the service."""

    def change(self, by: Actor, record: Any, version: int, values: dict[str, Any]) -> Any:
        """Change the record."""
        raise NotImplementedError

    def patch(self, request: Request, **kwargs: Any) -> Response:
        """Change the fields that the body names."""
        record = self.record(**kwargs)
        version = version_asked(request, record)
        values, reason = self.read_body(request, record)
        return self.shown(self.change(actor(request, reason), record, version, values))


class ArchiveApi(DetailApi):
    """DELETE takes a record out of use, nothing is lost: its restore address brings it back."""

    def archive(self, by: Actor, record: Any, version: int) -> Any:
        """Take the record out of use."""
        raise NotImplementedError

    def delete(self, request: Request, **kwargs: Any) -> Response:
        """Take the record out of use."""
        record = self.record(**kwargs)
        version = version_asked(request, record)
        reason = one_parameter(request, REASON) or ""
        return self.shown(self.archive(actor(request, reason), record, version))


class VersionedActionApi(PostApi):
    """POST of an action on the version in If-Match, such as restore or approve."""

    success_status = 200
    has_precondition = True

    def record(self, **kwargs: Any) -> Any:
        """Return the record of the address, or refuse with 404."""
        raise NotImplementedError

    def carry_out(self, by: Actor, record: Any, version: int, values: dict[str, Any]) -> Any:
        """Do the action."""
        raise NotImplementedError

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Do the action on the version asked for."""
        record = self.record(**kwargs)
        version = version_asked(request, record)
        values, reason = self.read_body(request)
        return self.shown(self.carry_out(actor(request, reason), record, version, values))


def actor(request: Request, reason: str = "") -> Actor:
    """Return who asks, through the API, and why."""
    return Actor(user=request.user, source="api", reason=reason)


def found(records: QuerySet[Any], what: str, **lookup: Any) -> Any:
    """Return the one record of a lookup; refuses with 404 that names it."""
    record: Model | None = records.filter(**lookup).first()
    if record is None:
        name = ", ".join(str(value) for value in lookup.values())
        raise Refusal(404, "not_found", f"There is no {what} `{name}`.")
    return record


def download(file: FieldFile, name: str) -> FileResponse:
    """Return a stored file as an attachment, never shown in place; refuses with 404 when its content is gone."""
    try:
        content = file.open("rb")
    except OSError as error:
        raise Refusal(404, "file_missing", f"The content of {name} is no longer on this server.") from error
    return FileResponse(content, as_attachment=True, filename=name, content_type="application/octet-stream")


def _require_scope(token: ApiToken, resource: str, *, is_write: bool) -> None:
    granting = {f"{resource}:write", "*:write"}
    if not is_write:
        granting |= {f"{resource}:read", "*:read"}
    if resource and not granting & set(token.scopes):
        wanted = f"{resource}:{'write' if is_write else 'read'}"
        raise Refusal(403, "scope_missing", f"The token {token.key} lacks the scope {wanted}; make one that has it.")
