"""Bids on a request: sealed until the opening, their terms readable after it."""

import pgtrigger
from django.conf import settings
from django.db import models

from procurement import choices
from procurement.models.quotes import Quote
from procurement.models.records import MONEY, NUMBER
from procurement.models.requests import QuoteRequest, RequestInvitation


class BidState(models.TextChoices):
    """What became of a bid."""

    SEALED = "sealed", "Sealed"
    REPLACED = "replaced", "Replaced"
    WITHDRAWN = "withdrawn", "Withdrawn"
    LATE = "late", "Late"
    BROKEN = "broken", "Seal broken"
    OPENED = "opened", "Opened"
    REJECTED = "rejected", "Rejected"
    AWARDED = "awarded", "Awarded"
    NOT_AWARDED = "not_awarded", "Not awarded"


class RequestBid(models.Model):
    """One version of one option of a supplier, as it was received; nothing of what it says is readable in this row."""

    request = models.ForeignKey(QuoteRequest, on_delete=models.PROTECT, related_name="bids")
    invitation = models.ForeignKey(RequestInvitation, on_delete=models.PROTECT, related_name="bids")
    option = models.CharField(max_length=60, default="main", help_text="name that tells options of a supplier apart")
    version = models.PositiveIntegerField(help_text="a later version of the same option replaces the earlier one")
    received_at = models.DateTimeField(help_text="by the clock of the database")
    received_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    received_through = models.CharField(max_length=20, help_text="web or api")
    sealed = models.BinaryField(help_text="what the bid says, encrypted and authenticated")
    sealed_file = models.FileField(upload_to="request_bids/", blank=True, help_text="the attachment, likewise")
    digest = models.CharField(max_length=64, help_text="of the bid and a salt that lies in the seal, taken at receipt")
    state = models.CharField(max_length=12, choices=BidState, default=BidState.SEALED)
    state_reason = models.TextField(blank=True)
    state_at = models.DateTimeField(null=True, blank=True)
    state_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, null=True, blank=True, related_name="bids")

    class Meta:
        ordering = ("invitation__provider__name", "option", "-version")
        constraints = (
            models.UniqueConstraint(fields=("invitation", "option", "version"), name="request_bid_version_once"),
        )
        triggers = (
            pgtrigger.ReadOnly(
                name="bid_as_received",
                fields=["request", "invitation", "option", "version", "received_at", "sealed", "sealed_file", "digest"],
            ),
            pgtrigger.Protect(name="bid_kept", operation=pgtrigger.Delete),
        )

    def __str__(self) -> str:
        return f"{self.request.code} bid of {self.invitation.provider.name}, {self.option}, version {self.version}"


class BidTerms(models.Model):
    """What an opened bid says; columns that a quote has too carry the same names. Written by the opening alone."""

    bid = models.OneToOneField(RequestBid, on_delete=models.PROTECT, related_name="terms")
    salt = models.CharField(max_length=64, help_text="with which the digest can be taken again by anybody")
    attachment_name = models.CharField(max_length=255, blank=True)
    attachment_sha256 = models.CharField(max_length=64, blank=True)
    # what is offered, at what price
    accelerator = models.CharField(max_length=60)
    quantity_available = models.PositiveIntegerField()
    accelerators_per_node = models.PositiveIntegerField(null=True, blank=True)
    accelerators_per_instance = models.DecimalField(**NUMBER)
    region = models.CharField(max_length=80, blank=True)
    price = models.DecimalField(**MONEY)
    currency = models.CharField(max_length=3)
    price_basis = models.CharField(max_length=30, choices=choices.price_basis_choices, default="per_accelerator_hour")
    price_hours_per_month = models.DecimalField(**NUMBER)
    price_includes_tax = models.BooleanField(default=False)
    purchase_model = models.CharField(max_length=20, choices=choices.purchase_model_choices, default="contract")
    upfront = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    payment_option = models.CharField(max_length=10, choices=choices.payment_option_choices, default="none")
    setup_fee = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    exit_fee = models.DecimalField(max_digits=24, decimal_places=8, default=0)
    support_fraction = models.DecimalField(**NUMBER)
    quoted_on = models.DateField()
    valid_until = models.DateField(help_text="last day on which it can be signed")
    # scale and network
    interconnect = models.CharField(max_length=20, choices=choices.interconnect_choices, blank=True)
    largest_domain_accelerators = models.PositiveIntegerField(null=True, blank=True)
    fabric = models.CharField(max_length=20, choices=choices.fabric_choices, blank=True)
    network_gbps_per_accelerator = models.DecimalField(**NUMBER)
    measured_allreduce_gbps = models.DecimalField(**NUMBER)
    # site and delivery
    site = models.CharField(max_length=160, blank=True, help_text="hall or campus where it stands")
    power_status = models.CharField(max_length=20, choices=choices.power_status_choices, blank=True)
    cooling_status = models.CharField(max_length=20, choices=choices.cooling_status_choices, blank=True)
    earliest_start = models.DateField(null=True, blank=True, help_text="day of delivery")
    delivery_said_by = models.CharField(max_length=160, blank=True, help_text="who says that it is there by then")
    access_terms = models.TextField(blank=True, help_text="how we get in: scheduler, quota, own launch")
    # the contract
    term_months = models.PositiveIntegerField(null=True, blank=True)
    ramp = models.CharField(max_length=300, blank=True, help_text="how many by when, where not all at once")
    min_accelerators = models.PositiveIntegerField(null=True, blank=True)
    termination = models.TextField(blank=True, help_text="how either side gets out, and what it costs")
    renewal = models.TextField(blank=True, help_text="whether and at what price it goes on")
    storage_per_gb_month = models.DecimalField(**NUMBER)
    egress_per_gb = models.DecimalField(**NUMBER)
    further_answers = models.JSONField(default=list, blank=True, help_text="answers to the further questions, in order")
    reference = models.CharField(max_length=120, blank=True, help_text="number of the supplier's own document")
    note = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "bid terms"

    def __str__(self) -> str:
        return f"terms of {self.bid}"
