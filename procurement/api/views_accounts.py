"""The person who asks, their tokens, the jobs of the service and its history."""

from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, ListApi, PostApi, actor, found
from procurement.api.filters import Filter, one_parameter
from procurement.api.idempotency import refuse_key
from procurement.api.problems import Refusal
from procurement.api.serializers_accounts import (
    HistoryOutput,
    JobOutput,
    NewTokenOutput,
    PersonOutput,
    TokenInput,
    TokenOutput,
)
from procurement.api.serializers_base import ReasonInput
from procurement.models import ApiToken, AuditEntry, Job, JobStatus
from procurement.selectors.accounts import tokens_of
from procurement.selectors.history import history_all
from procurement.selectors.jobs import jobs_all
from procurement.services.accounts import token_create, token_revoke
from procurement.services.jobs import job_retry

REASON = Filter("reason", "", "why, for the history")


class PersonApi(ApiView):
    """Who asks, and what they may do."""

    is_for_anyone_signed_in = True
    output = PersonOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the person."""
        return Response(PersonOutput(request.user, context=self.context()).data)


class OwnTokensApi(ApiView):
    """What concerns the tokens of the person who asks; a token may neither make nor revoke tokens."""

    resource = "tokens"
    output = TokenOutput

    def refuse_token(self, request: Request) -> None:
        """Refuse a token: one that leaked could make itself another."""
        if isinstance(request.auth, ApiToken):
            detail = "Tokens are made and revoked in a signed-in browser session, not with a token."
            raise Refusal(403, "session_needed", detail)


class TokenListApi(OwnTokensApi, ListApi, PostApi):
    """Own tokens (an administrator sees all), and a new one; its secret is in this reply and never again."""

    actions = {"GET": "token.own", "POST": "token.own"}
    takes_idempotency_key = False
    input = TokenInput

    def records(self, **kwargs: Any) -> QuerySet[ApiToken]:
        """Return the tokens that the person may see."""
        return tokens_of(self.request.user)

    def post(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Make a token."""
        self.refuse_token(request)
        refuse_key(request, "the reply holds a secret, which is kept nowhere.")
        values, reason = self.read_body(request)
        token, secret = token_create(by=actor(request, reason), **values)
        token.secret = secret  # type: ignore[attr-defined]
        location = reverse("api:token", kwargs={"key": token.key})
        data = NewTokenOutput(token, context=self.context()).data
        return Response(data, status=201, headers={"Location": location, "Cache-Control": "no-store"})


class TokenDetailApi(OwnTokensApi):
    """One token; DELETE revokes it at once."""

    actions = {"GET": "token.own", "DELETE": "token.own"}
    is_versioned = False

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the token without its secret."""
        return self.shown(found(tokens_of(request.user), "token", **kwargs))

    def delete(self, request: Request, **kwargs: Any) -> Response:
        """Revoke the token; repeating it changes nothing."""
        self.refuse_token(request)
        token = found(tokens_of(request.user), "token", **kwargs)
        reason = one_parameter(request, REASON) or ""
        return self.shown(token_revoke(by=actor(request, reason), token=token))


class JobListApi(ListApi):
    """Jobs: what waits, runs, is done or needs a person."""

    resource = "jobs"
    filters = (
        Filter("status", "status", "where it stands", choices=lambda: JobStatus.choices),
        Filter("kind", "kind", "kind of work"),
        Filter("created_since", "created_at__gte", "asked for at or after this instant", "instant"),
    )
    output = JobOutput

    def records(self, **kwargs: Any) -> QuerySet[Job]:
        """Return all jobs."""
        return jobs_all()


class JobDetailApi(ApiView):
    """One job and its progress."""

    resource = "jobs"
    output = JobOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the job."""
        return self.shown(found(jobs_all(), "job", **kwargs))


class JobRetryApi(PostApi):
    """Try a failed or dead job again."""

    resource = "jobs"
    actions = {"POST": "job.retry"}
    success_status = 200
    output = JobOutput
    input = ReasonInput

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Queue it again."""
        job = found(jobs_all(), "job", **kwargs)
        _, reason = self.read_body(request)
        return self.shown(job_retry(job_id=job.pk, user=request.user, reason=reason))


class HistoryListApi(ListApi):
    """Who did what, when and why."""

    resource = "history"
    filters = (
        Filter("record_type", "record_type", "type of the record, such as quote"),
        Filter("record_id", "record_id", "id of the record"),
        Filter("action", "action", "what was done, such as quote.supersede"),
        Filter("at_since", "at__gte", "at or after this instant", "instant"),
        Filter("at_before", "at__lt", "before this instant", "instant"),
    )
    output = HistoryOutput

    def records(self, **kwargs: Any) -> QuerySet[AuditEntry]:
        """Return all entries."""
        return history_all()
