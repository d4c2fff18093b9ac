"""POST at most once: the header Idempotency-Key names a request, and its first reply is given again."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.problems import Refusal
from procurement.api.throttling import subject_of
from procurement.services.api_requests import Fingerprint, reply_keep, reply_recall

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_KEPT_HEADERS = ("Location", "ETag")


def carried_out_once(request: Request, act: Callable[[], Response]) -> HttpResponseBase:
    """Return the reply of ``act``, or the one kept for the same key and body.

    A refused request is not kept: it changed nothing, so it may be mended and sent again with its key.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return act()
    if not _KEY.fullmatch(key):
        detail = f"{HEADER} should be 1 to 200 printable ASCII characters without spaces, such as a UUID."
        raise Refusal(400, "invalid_header", detail, errors=[{"header": HEADER, "detail": detail}])
    asked = Fingerprint(subject_of(request), key, request.path[:500], body_digest(request))
    with transaction.atomic():
        kept = reply_recall(asked=asked)
        if kept is not None:
            return _reply(kept.status, kept.headers, kept.body)
        response = act()
        body = JSONRenderer().render(response.data).decode()
        headers = {name: response[name] for name in _KEPT_HEADERS if response.has_header(name)}
        reply_keep(asked=asked, status=response.status_code, headers=headers, body=body)
    return _reply(response.status_code, headers, body)


def refuse_key(request: Request, why: str) -> None:
    """Refuse the header where a reply must not be kept."""
    if request.headers.get(HEADER) is not None:
        detail = f"{HEADER} is not taken here: {why}"
        raise Refusal(400, "invalid_header", detail, errors=[{"header": HEADER, "detail": detail}])


def body_digest(request: Request) -> str:
    """Return the digest of what was sent; a form's boundary and the order of keys do not matter."""
    data = request.data
    if hasattr(data, "lists"):
        content: Any = sorted((name, [_part(value) for value in values]) for name, values in data.lists())
    else:
        content = data
    canonical = json.dumps(content, sort_keys=True, cls=DjangoJSONEncoder)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _part(value: Any) -> str:
    if not isinstance(value, UploadedFile):
        return f"text:{value}"
    digest = hashlib.sha256()
    for chunk in value.chunks():
        digest.update(chunk)
    value.seek(0)
    return f"file:{value.name}:{digest.hexdigest()}"


def _reply(status: int, headers: dict[str, str], body: str) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json", headers=headers)
