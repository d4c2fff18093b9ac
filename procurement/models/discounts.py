"""Contract discounts: what a supplier takes off its list prices for this buyer, and for how long."""

import pghistory
from django.db import models
from django.db.models import F, Q

from procurement import choices
from procurement.models.quotes import Provider
from procurement.models.records import NUMBER, EditableRecord


@pghistory.track()
class ContractDiscount(EditableRecord):
    """A share or an amount off a supplier's list prices; the list price itself is never changed.

    An empty scope column means every one: all accelerators, all ways of buying, all regions, all SKUs.
    """

    code = models.SlugField(max_length=60, unique=True, help_text="short name used on pages and in the API")
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="discounts")
    discount_percent = models.DecimalField(**NUMBER, help_text="share off price and upfront payment; 12 is 12 %")
    discount_per_accelerator_hour = models.DecimalField(**NUMBER, help_text="amount off each accelerator-hour")
    currency = models.CharField(max_length=3, blank=True, help_text="of the amount; empty for a share")
    accelerator = models.CharField(max_length=60, blank=True, help_text="model it is for; empty for all")
    purchase_model = models.CharField(
        max_length=20, blank=True, choices=choices.purchase_model_choices, help_text="how it is bought; empty for all"
    )
    region = models.CharField(max_length=80, blank=True, help_text="region it is for; empty for all")
    sku_pattern = models.CharField(
        max_length=160, blank=True, help_text="SKUs it is for, with * for any letters and ? for one; empty for all"
    )
    valid_from = models.DateField(help_text="first day it holds")
    valid_until = models.DateField(null=True, blank=True, help_text="last day it holds; empty for no end")
    time_zone = models.CharField(max_length=60, help_text="where these days begin and end, such as Europe/Berlin")
    source = models.CharField(max_length=500, help_text="contract or letter that grants it, with its address")
    reason = models.CharField(max_length=300, blank=True, editable=False, help_text="why it stands as it does")

    class Meta:
        ordering = ("provider__name", "code")
        constraints = (
            models.CheckConstraint(
                condition=Q(discount_percent__isnull=False, discount_per_accelerator_hour__isnull=True, currency="")
                | (Q(discount_percent__isnull=True, discount_per_accelerator_hour__isnull=False) & ~Q(currency="")),
                name="discount_is_a_share_or_an_amount_with_currency",
            ),
            models.CheckConstraint(
                condition=Q(discount_percent__isnull=True) | Q(discount_percent__gt=0, discount_percent__lt=100),
                name="discount_percent_above_0_and_below_100",
            ),
            models.CheckConstraint(
                condition=Q(discount_per_accelerator_hour__isnull=True) | Q(discount_per_accelerator_hour__gt=0),
                name="discount_amount_above_0",
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=F("valid_from")),
                name="discount_ends_not_before_it_begins",
            ),
        )

    def __str__(self) -> str:
        return self.code


class PriceWatch(models.Model):
    """What one night changed in the prices in force: who expired, who came into force, what rests on them."""

    day = models.DateField(unique=True, help_text="day that began")
    time_zone = models.CharField(max_length=60, help_text="zone in which it began")
    since = models.DateField(null=True, help_text="day of the watch before; changes are counted after it")
    expired = models.JSONField(default=list, help_text="offers that can no longer be signed")
    started = models.JSONField(default=list, help_text="offers whose first day came")
    discounts_started = models.JSONField(default=list)
    discounts_ended = models.JSONField(default=list)
    decisions = models.JSONField(default=list, help_text="proposed decisions that rest on an expired offer")
    is_recomputing = models.BooleanField(default=False, help_text="whether recommendations were asked for anew")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-day",)

    def __str__(self) -> str:
        return f"prices on {self.day}"
