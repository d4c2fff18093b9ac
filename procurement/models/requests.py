"""Requests for quotes: what is asked, who was asked, what went to everybody, how it was opened."""

import pghistory
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from procurement import choices
from procurement.models.quotes import Provider
from procurement.models.records import NUMBER, EditableRecord


class RequestState(models.TextChoices):
    """Where a request stands. ``closed`` is never stored: a published request is closed once its deadline passed."""

    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"
    CLOSED = "closed", "Closed"
    OPENED = "opened", "Opened"
    AWARDED = "awarded", "Awarded"
    CANCELLED = "cancelled", "Cancelled"


class NoticeKind(models.TextChoices):
    """What a notice to the suppliers is about."""

    INVITATION = "invitation", "Invitation"
    CLARIFICATION = "clarification", "Clarification"
    AMENDMENT = "amendment", "Amendment"
    EXTENSION = "extension", "Extension"
    CANCELLATION = "cancellation", "Cancellation"
    RESULT = "result", "Result"


@pghistory.track()
class QuoteRequest(EditableRecord):
    """One request for quotes: the need, the must-haves, the deadline with its zone and the people an opening takes."""

    code = models.CharField(max_length=30, unique=True, editable=False)
    title = models.CharField(max_length=160)
    need = models.TextField(help_text="what is needed and what for, in words that suppliers read")
    workloads = models.JSONField(default=list, blank=True, help_text="codes of the workloads that it is for")
    accelerator_types = models.JSONField(default=list, help_text="accelerators that may be offered")
    accelerators = models.PositiveIntegerField(
        validators=[MinValueValidator(1)], help_text="accelerators that are needed together"
    )
    region = models.CharField(max_length=80, blank=True, help_text="where they must stand; empty where any place does")
    start_on = models.DateField(null=True, blank=True, help_text="first day they are needed")
    end_on = models.DateField(null=True, blank=True, help_text="last day they are needed")
    least_interconnect = models.CharField(
        max_length=20, choices=choices.interconnect_choices, blank=True, help_text="weakest scale that is accepted"
    )
    least_domain_accelerators = models.PositiveIntegerField(
        null=True, blank=True, help_text="accelerators that one fabric must join"
    )
    accepted_fabrics = models.JSONField(default=list, blank=True, help_text="fabrics that are accepted; empty: any")
    least_allreduce_gbps = models.DecimalField(**NUMBER, help_text="measured all-reduce, at least")
    accepted_power = models.JSONField(
        default=list, blank=True, help_text="accepted power: firm, curtailable, temporary; empty: any"
    )
    latest_delivery_on = models.DateField(null=True, blank=True, help_text="last day of delivery that is accepted")
    longest_term_months = models.PositiveIntegerField(null=True, blank=True, help_text="longest term that is accepted")
    must_answer = models.JSONField(default=list, blank=True, help_text="asked items that a bid must answer")
    questions = models.JSONField(default=list, blank=True, help_text="further questions, one text each")
    least_bidders = models.PositiveIntegerField(default=2, help_text="suppliers that must be asked")
    sole_source_reason = models.TextField(blank=True, help_text="why fewer suppliers are asked")
    due_at = models.DateTimeField(null=True, blank=True, help_text="deadline; a bid at that very instant is in time")
    time_zone = models.CharField(max_length=60, default="UTC", help_text="zone in which the deadline is stated")
    opening_people = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(2)],
        help_text="people that open the bids: 1 or 2",
    )
    state = models.CharField(max_length=10, choices=RequestState, default=RequestState.DRAFT, editable=False)
    published_at = models.DateTimeField(null=True, blank=True, editable=False)
    closing_reason = models.TextField(blank=True, editable=False, help_text="why it was awarded so, or cancelled")
    closed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when it was awarded or cancelled"
    )

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(start_on__isnull=True) | Q(end_on__isnull=True) | Q(end_on__gte=F("start_on")),
                name="request_end_not_before_start",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("draft", "cancelled")) | Q(due_at__isnull=False),
                name="request_published_with_deadline",
            ),
            models.CheckConstraint(condition=~Q(state="closed"), name="request_closed_by_the_clock_alone"),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.title}"


class InvitationState(models.TextChoices):
    """Whether a supplier is still asked."""

    INVITED = "invited", "Invited"
    DECLINED = "declined", "Will not bid"


class RequestInvitation(EditableRecord):
    """A supplier who is asked, and where the mail goes."""

    request = models.ForeignKey(QuoteRequest, on_delete=models.PROTECT, related_name="invitations")
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="invitations")
    contact_name = models.CharField(max_length=120, blank=True)
    contact_email = models.EmailField(help_text="where invitation, answers and changes go")
    is_mailed = models.BooleanField(
        default=True, help_text="the service mails letters there, where it has a mail server; else a person sends them"
    )
    state = models.CharField(max_length=10, choices=InvitationState, default=InvitationState.INVITED, editable=False)
    decline_reason = models.CharField(max_length=300, blank=True, editable=False)
    declined_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("provider__name", "id")
        constraints = (models.UniqueConstraint(fields=("request", "provider"), name="request_asks_a_supplier_once"),)

    def __str__(self) -> str:
        return f"{self.request.code} {self.provider.name}"


class RequestQuestion(models.Model):
    """A question about the request and its answer, which goes to all; the asker is told to nobody."""

    request = models.ForeignKey(QuoteRequest, on_delete=models.PROTECT, related_name="asked_questions")
    invitation = models.ForeignKey(
        RequestInvitation, on_delete=models.PROTECT, null=True, blank=True, related_name="asked_questions"
    )
    question = models.TextField()
    asked_at = models.DateTimeField(auto_now_add=True)
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.request.code} question {self.pk}"


class RequestNotice(models.Model):
    """Something that all invited suppliers are told; never edited."""

    request = models.ForeignKey(QuoteRequest, on_delete=models.PROTECT, related_name="notices")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=14, choices=NoticeKind)
    subject = models.CharField(max_length=200)
    body = models.TextField()
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("request", "number"), name="request_notice_number_once"),)

    def __str__(self) -> str:
        return f"{self.request.code} notice {self.number}"


class RequestLetter(models.Model):
    """The text of a notice for one supplier: mailed by the service, or sent by a person, who then notes it."""

    notice = models.ForeignKey(RequestNotice, on_delete=models.PROTECT, related_name="letters")
    invitation = models.ForeignKey(RequestInvitation, on_delete=models.PROTECT, related_name="letters")
    recipient = models.EmailField()
    subject = models.CharField(max_length=200)
    text = models.TextField()
    is_mailed = models.BooleanField(default=False, help_text="the service mails it, once")
    sent_at = models.DateTimeField(null=True, blank=True)
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-notice__number", "invitation__provider__name", "id")
        constraints = (models.UniqueConstraint(fields=("notice", "invitation"), name="request_letter_once"),)

    def __str__(self) -> str:
        return f"{self.notice} to {self.invitation.provider.name}"


class RequestOpening(models.Model):
    """Who opened the bids and when, and what lay there: one row a request, written when the first person begins."""

    request = models.OneToOneField(QuoteRequest, on_delete=models.PROTECT, related_name="opening")
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    begun_at = models.DateTimeField()
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    opened_at = models.DateTimeField(null=True, blank=True)
    bids = models.JSONField(default=list, help_text="each bid with supplier, receipt, digest and whether it was intact")

    def __str__(self) -> str:
        return f"opening of {self.request.code}"
