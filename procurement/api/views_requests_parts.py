"""Parts of a request for quotes: invitations, questions, notices, letters and bids."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import (
    ARCHIVED,
    ApiView,
    ArchiveApi,
    ChangeApi,
    CreateApi,
    DetailApi,
    ListApi,
    PostApi,
    VersionedActionApi,
    actor,
    found,
)
from procurement.api.filters import Filter, modified_filters
from procurement.api.idempotency import refuse_key
from procurement.api.parsing import BoundedMultiPartParser, StrictJsonParser
from procurement.api.problems import Refusal
from procurement.api.renderers import BinaryRenderer
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_requests import (
    AnswerInput,
    BidInput,
    BidOutput,
    InvitationInput,
    InvitationOutput,
    LetterOutput,
    NoticeOutput,
    QuestionInput,
    QuestionOutput,
    RequestStepInput,
)
from procurement.models import (
    BidState,
    InvitationState,
    QuoteRequest,
    RequestBid,
    RequestInvitation,
    RequestLetter,
    RequestNotice,
    RequestQuestion,
)
from procurement.selectors.requests import bids_of, invitations_of, letters_of, questions_of, requests_all
from procurement.services.actors import Actor
from procurement.services.requests_bids import bid_attachment, bid_receive, bid_reject, bid_withdraw
from procurement.services.requests_invitations import (
    invitation_archive,
    invitation_create,
    invitation_decline,
    invitation_update,
    question_answer,
    question_ask,
)
from procurement.services.requests_letters import letter_mail, letter_sent
from procurement.services.sealing import SealBroken


class RequestPartApi(ApiView):
    """What the parts have in common: their request."""

    resource = "requests"
    actions = dict.fromkeys(("POST", "PATCH", "DELETE"), "request.edit")

    def request_of(self, code: str) -> QuoteRequest:
        """Return the request of a code."""
        return found(requests_all(), "request", code=code)


class InvitationListApi(RequestPartApi, ListApi, CreateApi):
    """Suppliers who are asked, and another one."""

    filters = (
        Filter("state", "state", "invited or declined", choices=lambda: InvitationState.choices),
        ARCHIVED, *modified_filters(),
    )  # fmt: skip
    output = InvitationOutput
    input = InvitationInput

    def records(self, **kwargs: Any) -> QuerySet[RequestInvitation]:
        """Return the invitations."""
        return invitations_of(self.request_of(kwargs["code"]))

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> RequestInvitation:
        """Invite a supplier."""
        return invitation_create(by=by, quote_request=self.request_of(kwargs["code"]), values=values)

    def location(self, record: RequestInvitation) -> str:
        """Return its address."""
        return reverse("api:request_invitation", kwargs={"code": record.request.code, "id": record.pk})


class InvitationDetailApi(RequestPartApi, ChangeApi, ArchiveApi):
    """One invitation: its contact; a supplier is taken off a draft only."""

    output = InvitationOutput
    input = InvitationInput

    def record(self, **kwargs: Any) -> RequestInvitation:
        """Return the invitation."""
        return found(invitations_of(self.request_of(kwargs["code"])), "invitation", id=kwargs["id"])

    def change(self, by: Actor, record: RequestInvitation, version: int, values: dict[str, Any]) -> RequestInvitation:
        """Change the contact."""
        return invitation_update(by=by, invitation=record, version=version, values=values)

    def archive(self, by: Actor, record: RequestInvitation, version: int) -> RequestInvitation:
        """Take the supplier off."""
        return invitation_archive(by=by, invitation=record, version=version)


class InvitationActionApi(RequestPartApi, VersionedActionApi):
    """A step of an invitation."""

    output = InvitationOutput
    input = RequestStepInput

    def record(self, **kwargs: Any) -> RequestInvitation:
        """Return the invitation."""
        return found(invitations_of(self.request_of(kwargs["code"])), "invitation", id=kwargs["id"])


class InvitationRestoreApi(InvitationActionApi):
    """Put a supplier back on a draft."""

    input = ReasonInput

    def carry_out(self, by: Actor, record: RequestInvitation, version: int, values: dict[str, Any]) -> Any:
        """Put it back."""
        return invitation_archive(by=by, invitation=record, version=version, is_archived=False)


class InvitationDeclineApi(InvitationActionApi):
    """Note that a supplier will not bid, and why."""

    def carry_out(self, by: Actor, record: RequestInvitation, version: int, values: dict[str, Any]) -> Any:
        """Note it."""
        return invitation_decline(by=by, invitation=record, version=version)


class QuestionListApi(RequestPartApi, ListApi, CreateApi):
    """Questions about a request, and a new one."""

    output = QuestionOutput
    input = QuestionInput

    def records(self, **kwargs: Any) -> QuerySet[RequestQuestion]:
        """Return the questions."""
        return questions_of(self.request_of(kwargs["code"]))

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> RequestQuestion:
        """Record a question."""
        quote_request = self.request_of(kwargs["code"])
        asker = values.get("invitation")
        invitation = found(invitations_of(quote_request), "invitation", id=asker) if asker else None
        return question_ask(by=by, quote_request=quote_request, question=values["question"], invitation=invitation)

    def location(self, record: RequestQuestion) -> str:
        """Return where it stands."""
        return reverse("api:request_questions", kwargs={"code": record.request.code})


class QuestionAnswerApi(RequestPartApi, PostApi):
    """Answer a question once; the answer goes to all suppliers and names nobody."""

    output = QuestionOutput
    input = AnswerInput
    success_status = 200

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Answer it."""
        question = found(questions_of(self.request_of(kwargs["code"])), "question", id=kwargs["id"])
        values, reason = self.read_body(request)
        return self.shown(question_answer(by=actor(request, reason), question=question, answer=values["answer"]))


class NoticeListApi(RequestPartApi, ListApi):
    """What all suppliers were told: invitation, answers, amendments, extensions, result."""

    output = NoticeOutput

    def records(self, **kwargs: Any) -> QuerySet[RequestNotice]:
        """Return the notices."""
        return self.request_of(kwargs["code"]).notices.select_related("created_by")


class LetterListApi(RequestPartApi, ListApi):
    """Letters to suppliers with their text, and whether they were sent."""

    output = LetterOutput

    def records(self, **kwargs: Any) -> QuerySet[RequestLetter]:
        """Return the letters."""
        return letters_of(self.request_of(kwargs["code"]))


class LetterPostApi(RequestPartApi, PostApi):
    """What a person does with a letter, with the reason for it."""

    output = LetterOutput
    input = ReasonInput
    success_status = 200
    service: Callable[..., RequestLetter]

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Do it."""
        letter = found(letters_of(self.request_of(kwargs["code"])), "letter", id=kwargs["id"])
        _, reason = self.read_body(request)
        return self.shown(self.service(by=actor(request, reason), letter=letter))


class LetterSentApi(LetterPostApi):
    """Note that a letter went out."""

    service = staticmethod(letter_sent)


class LetterMailApi(LetterPostApi):
    """Let the service mail a letter, once; what became of it stands under /deliveries/?letter=."""

    service = staticmethod(letter_mail)


class BidListApi(RequestPartApi, ListApi, PostApi):
    """Receipts of bids (terms once they were opened), and a new bid, which is sealed at once; as JSON, or as a form."""

    parser_classes = (StrictJsonParser, BoundedMultiPartParser)
    takes_idempotency_key = False
    filters = (Filter("state", "state", "what became of the bid", choices=lambda: BidState.choices),)
    output = BidOutput
    input = BidInput

    def records(self, **kwargs: Any) -> QuerySet[RequestBid]:
        """Return the bids."""
        return bids_of(self.request_of(kwargs["code"]))

    def post(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Seal and file a bid; a later one of the same option replaces the one before."""
        refuse_key(request, "a digest of what was sent would be kept, from which prices could be guessed.")
        quote_request = self.request_of(kwargs["code"])
        values, _ = self.read_body(request)
        invitation = found(invitations_of(quote_request), "invitation", id=values.pop("invitation"))
        file, option = values.pop("attachment", None), values.pop("option", "main")
        attachment = (file.name, file.read()) if file is not None else None
        bid = bid_receive(by=actor(request), invitation=invitation, values=values, option=option, attachment=attachment)
        location = reverse("api:request_bid", kwargs={"code": quote_request.code, "id": bid.pk})
        return self.shown(bids_of(quote_request).get(pk=bid.pk), status=201, headers={"Location": location})

    def success_statuses(self) -> tuple[int, ...]:
        """Return 201."""
        return (201,)


class BidDetailApi(RequestPartApi, DetailApi):
    """The receipt of a bid, and its terms once it was opened."""

    output = BidOutput
    has_not_modified = False  # a bid's version counts bids, not changes of its state

    def record(self, **kwargs: Any) -> RequestBid:
        """Return the bid."""
        return found(bids_of(self.request_of(kwargs["code"])), "bid", id=kwargs["id"])


class BidActionApi(RequestPartApi, PostApi):
    """A step of a bid."""

    output = BidOutput
    input = RequestStepInput
    success_status = 200

    def carry_out(self, by: Actor, bid: RequestBid) -> RequestBid:
        """Do the step."""
        raise NotImplementedError

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Do the step and show the bid."""
        bids = bids_of(self.request_of(kwargs["code"]))
        bid = found(bids, "bid", id=kwargs["id"])
        _, reason = self.read_body(request)
        self.carry_out(actor(request, reason), bid)
        return self.shown(bids.get(pk=bid.pk))


class BidWithdrawApi(BidActionApi):
    """Give a sealed bid back before the deadline."""

    def carry_out(self, by: Actor, bid: RequestBid) -> RequestBid:
        """Withdraw it."""
        return bid_withdraw(by=by, bid=bid)


class BidRejectApi(BidActionApi):
    """Leave an opened bid out of the award, with the reason."""

    actions = {"POST": "request.award"}

    def carry_out(self, by: Actor, bid: RequestBid) -> RequestBid:
        """Reject it."""
        return bid_reject(by=by, bid=bid)


class BidAttachmentApi(RequestPartApi):
    """The file of an opened bid."""

    renderer_classes = (BinaryRenderer, JSONRenderer)
    output = {"type": "string", "format": "binary"}
    may_conflict = True

    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return the file."""
        bid = found(bids_of(self.request_of(kwargs["code"])), "bid", id=kwargs["id"])
        try:
            _, content = bid_attachment(by=actor(request), bid=bid)
        except SealBroken as error:
            raise Refusal(404, "file_missing", f"The file of the {bid} is gone or was changed.") from error
        headers = {"Content-Disposition": f'attachment; filename="bid-{bid.pk}.bin"'}
        return HttpResponse(content, content_type="application/octet-stream", headers=headers)
