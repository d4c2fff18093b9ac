"""Requests for quotes, invitations, questions, letters and bids as the interface takes and shows them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from procurement.api.fields import Code, DecimalText, Document, Instant, MoneyText, Text, Texts, Whole
from procurement.api.serializers_base import (
    RECORD_FIELDS,
    RecordInput,
    RecordOutput,
    StrictSerializer,
)
from procurement.models import (
    BidTerms,
    Provider,
    QuoteRequest,
    RequestBid,
    RequestInvitation,
    RequestLetter,
    RequestNotice,
    RequestOpening,
    RequestQuestion,
    RequestState,
)
from procurement.selectors.requests import request_state
from procurement.services.requests_bids import TERMS

REQUEST_FIELDS = (
    "title", "need", "workloads", "accelerator_types", "accelerators", "region", "start_on", "end_on",
    "least_interconnect", "least_domain_accelerators", "accepted_fabrics", "least_allreduce_gbps", "accepted_power",
    "latest_delivery_on", "longest_term_months", "must_answer", "questions", "least_bidders", "sole_source_reason",
    "due_at", "time_zone", "opening_people",
)  # fmt: skip
TEXT_LISTS = ("workloads", "accelerator_types", "accepted_fabrics", "accepted_power", "must_answer", "questions")
BID_SHOWN = (
    "id", "supplier", "option", "version", "received_at", "received_by", "received_through", "digest", "state",
    "state_reason", "state_at", "state_by", "quote", "terms",
)  # fmt: skip
WHY = {"max_length": 300}


def _why(meaning: str) -> Text:
    return Text(**WHY, help_text=meaning)


class RequestInput(RecordInput):
    """What may be written of a request; the deadline moves by `extend` once it was published."""

    workloads = Texts(required=False)
    accelerator_types = Texts()
    accepted_fabrics = Texts(required=False)
    accepted_power = Texts(required=False)
    must_answer = Texts(required=False)
    questions = Texts(required=False)
    due_at = Instant(required=False, allow_null=True, help_text="deadline; a bid at that very instant is in time")

    class Meta:
        model = QuoteRequest
        fields = (*REQUEST_FIELDS, "reason")


class RequestOutput(RecordOutput):
    """A request; its state by the clock of the database: published turns closed after the deadline."""

    workloads = Texts()
    accelerator_types = Texts()
    accepted_fabrics = Texts()
    accepted_power = Texts()
    must_answer = Texts()
    questions = Texts()
    state = serializers.SerializerMethodField()

    class Meta:
        model = QuoteRequest
        fields = (
            "id", "code", *REQUEST_FIELDS, "state", "published_at", "closing_reason", "closed_at", *RECORD_FIELDS,
        )  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(choices=RequestState.choices))
    def get_state(self, quote_request: QuoteRequest) -> str:
        """Return where it stands."""
        return request_state(quote_request).value


class RequestStepInput(StrictSerializer):
    """A step that needs a reason."""

    reason = _why("why; where suppliers are told, they read it")


class ExtendInput(RequestStepInput):
    """A later deadline."""

    due_at = Instant(help_text="the new deadline, after the present one")


class AwardInput(RequestStepInput):
    """The chosen bids."""

    bids = serializers.ListField(child=Whole(min_value=1, max_value=2**53), min_length=1, max_length=20)
    deviation_reason = Text(
        required=False, allow_blank=True, **WHY,
        help_text="why a bid that breaks a must-have, or an award with too few bidders, is right all the same",
    )  # fmt: skip


class InvitationInput(RecordInput):
    """A supplier who is asked."""

    provider = Code(queryset=Provider.objects.filter(is_archived=False))
    only_when_new = ("provider",)

    class Meta:
        model = RequestInvitation
        fields = ("provider", "contact_name", "contact_email", "is_mailed", "reason")


class InvitationOutput(RecordOutput):
    """A supplier who is asked, or will not bid."""

    provider = serializers.CharField(source="provider.code")

    class Meta:
        model = RequestInvitation
        fields = (
            "id", "provider", "contact_name", "contact_email", "is_mailed", "state", "decline_reason", "declined_at",
            *RECORD_FIELDS,
        )  # fmt: skip


class QuestionInput(StrictSerializer):
    """A question about the request."""

    question = Text(max_length=2000)
    invitation = Whole(
        required=False, allow_null=True, min_value=1, max_value=2**53, help_text="who asked; ourselves when left out"
    )
    reason = Text(required=False, allow_blank=True, **WHY, help_text="why, for the history")


class AnswerInput(StrictSerializer):
    """The answer, which goes to all."""

    answer = Text(max_length=4000)
    reason = Text(required=False, allow_blank=True, **WHY, help_text="why, for the history")


class QuestionOutput(RecordOutput):
    """A question and its answer."""

    invitation = serializers.IntegerField(source="invitation_id", allow_null=True)
    recorded_by = serializers.CharField(source="recorded_by.username", default=None, allow_null=True)
    answered_by = serializers.CharField(source="answered_by.username", default=None, allow_null=True)

    class Meta:
        model = RequestQuestion
        fields = (
            "id", "question", "invitation", "asked_at", "recorded_by", "answer", "answered_at", "answered_by",
        )  # fmt: skip


class NoticeOutput(RecordOutput):
    """What all suppliers were told."""

    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = RequestNotice
        fields = ("id", "number", "kind", "subject", "body", "created_at", "created_by")


class LetterOutput(RecordOutput):
    """The text of a notice for one supplier."""

    notice = serializers.IntegerField(source="notice.number")
    supplier = serializers.CharField(source="invitation.provider.code")
    sent_by = serializers.CharField(source="sent_by.username", default=None, allow_null=True)

    class Meta:
        model = RequestLetter
        fields = ("id", "notice", "supplier", "recipient", "subject", "text", "is_mailed", "sent_at", "sent_by")


class BidInput(RecordInput):
    """A bid; it is sealed on receipt, so its reply shows the receipt alone. A reason is not taken: it is not sealed."""

    reason = None
    invitation = Whole(min_value=1, max_value=2**53, help_text="id of the invitation of the supplier")
    option = Text(
        max_length=60, required=False, help_text="tells several options of a supplier apart; not sealed, no prices"
    )
    further_answers = serializers.ListField(
        child=Text(max_length=2000, allow_blank=True), max_length=50, required=False,
        help_text="answers to the further questions, in order",
    )  # fmt: skip
    attachment = serializers.FileField(required=False, help_text="the supplier's document, in a form only")

    class Meta:
        model = BidTerms
        fields = ("invitation", "option", *TERMS, "attachment")
        extra_kwargs = {name: {"required": False} for name in ("quoted_on",)}  # noqa: RUF012 - the framework reads a dict


class TermsOutput(RecordOutput):
    """What an opened bid says, with salt and attachment so that its digest can be taken again."""

    price = MoneyText(max_digits=24, decimal_places=8)
    further_answers = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = BidTerms
        fields = (*TERMS, "salt", "attachment_name", "attachment_sha256")


class BidOutput(RecordOutput):
    """The receipt of a bid; `terms` is null until it was opened."""

    supplier = serializers.CharField(source="invitation.provider.code")
    received_by = serializers.CharField(source="received_by.username", default=None, allow_null=True)
    state_by = serializers.CharField(source="state_by.username", default=None, allow_null=True)
    quote = serializers.CharField(source="quote.code", default=None, allow_null=True)
    terms = serializers.SerializerMethodField()

    class Meta:
        model = RequestBid
        fields = BID_SHOWN

    @extend_schema_field(TermsOutput(allow_null=True))
    def get_terms(self, bid: RequestBid) -> dict[str, Any] | None:
        """Return the terms of an opened bid."""
        return TermsOutput(bid.terms).data if hasattr(bid, "terms") else None


class OpeningOutput(RecordOutput):
    """Who opened the bids, when, and what lay there."""

    begun_by = serializers.CharField(source="begun_by.username", default=None, allow_null=True)
    opened_by = serializers.CharField(source="opened_by.username", default=None, allow_null=True)
    bids = serializers.ListField(child=Document())

    class Meta:
        model = RequestOpening
        fields = ("begun_by", "begun_at", "opened_by", "opened_at", "bids")


class ComparedOption(serializers.Serializer[Any]):
    """One opened bid of the comparison."""

    bid = serializers.IntegerField(source="bid.pk")
    name = serializers.CharField()
    state = serializers.CharField(source="bid.state")
    price_per_accelerator_hour = DecimalText(max_digits=34, decimal_places=10, source="rate", allow_null=True)
    currency = serializers.CharField(source="terms.currency")
    derivation = serializers.ListField(child=serializers.CharField(), source="steps")
    price_in_our_currency = DecimalText(max_digits=34, decimal_places=10, source="base_rate", allow_null=True)
    exchange_rate = serializers.CharField(source="fx_words")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="why it stands apart; empty: comparable")


class ComparedItem(serializers.Serializer[Any]):
    """One item over the options of a group, in their order."""

    item = serializers.CharField(source="key")
    words = serializers.CharField()
    unit = serializers.CharField()
    differs = serializers.BooleanField()
    values = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=serializers.CharField(allow_null=True)))
    def get_values(self, row: Any) -> list[str | None]:
        """Return what each option says."""
        return [_shown(cell.value) for cell in row.cells]


class MatrixOutput(serializers.Serializer[Any]):
    """Options and what they say."""

    options = ComparedOption(many=True)
    items = ComparedItem(many=True, source="rows")


class ComparisonOutput(serializers.Serializer[Any]):
    """Opened bids side by side: comparable ones, and apart those that expired, were rejected or do not comply."""

    request = serializers.CharField(source="request.code")
    today = serializers.DateField(help_text="day in the zone of the request, against which validity counts")
    currency = serializers.CharField(help_text="ours; empty while no assumption set is in force")
    compared = MatrixOutput()
    apart = MatrixOutput()
    unopened = serializers.ListField(child=serializers.IntegerField(), source="unopened_ids")


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return DecimalText(max_digits=34, decimal_places=10).to_representation(value) if _is_number(value) else str(value)


def _is_number(value: Any) -> bool:
    return type(value).__name__ in ("Decimal", "int")
