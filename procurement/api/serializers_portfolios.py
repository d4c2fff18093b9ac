"""Portfolios as the interface takes and shows them."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from procurement.api.fields import DecimalText, Documents, MoneyText, Text, Whole
from procurement.api.serializers_base import LARGEST_WHOLE, RecordOutput, StrictSerializer
from procurement.models import AllocationRow, Portfolio, Run
from procurement.selectors.portfolios import constraint_words, pin_price
from procurement.services.portfolios import (
    FEWEST_SECONDS,
    GAP,
    LARGEST_GAP,
    MOST_PINS,
    MOST_SECONDS,
    SECONDS,
    SMALLEST_GAP,
)

AMOUNT = {"max_digits": 24, "decimal_places": 4, "allow_null": True}


class PinInput(StrictSerializer):
    """What a person has decided: a workload at a place, all of it where no amount is stated; 0 keeps it out."""

    workload = Text(max_length=60, help_text="code of a workload of the run")
    place = Text(max_length=200, help_text="a quote or build of the run, or what the workload runs on today")
    first_month = Whole(required=False, min_value=0, max_value=1200, help_text="of the workload, its first is 0")
    last_month = Whole(required=False, min_value=0, max_value=1200, help_text="itself included")
    accelerators = DecimalText(
        required=False, max_digits=18, decimal_places=4, min_value=Decimal(0), max_value=Decimal(LARGEST_WHOLE),
        help_text="exactly so many of the place in each month",
    )  # fmt: skip
    share = DecimalText(
        required=False, max_digits=9, decimal_places=6, min_value=Decimal(0), max_value=Decimal(1),
        help_text="exactly this part of each month's demand",
    )  # fmt: skip
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for those who read the plan")


class PortfolioInput(StrictSerializer):
    """The cheapest plan for all workloads of a finished run."""

    run = serializers.PrimaryKeyRelatedField(
        queryset=Run.objects.defer("inputs"), required=False, help_text="id of a finished run; the latest when left out"
    )
    gap = DecimalText(
        required=False, max_digits=8, decimal_places=6, min_value=SMALLEST_GAP, max_value=LARGEST_GAP,
        help_text=f"relative gap that counts as optimal; {GAP} when left out",
    )  # fmt: skip
    time_limit_s = Whole(
        required=False, min_value=FEWEST_SECONDS, max_value=MOST_SECONDS,
        help_text=f"seconds after which the best found is the answer; {SECONDS} when left out",
    )  # fmt: skip
    pins = serializers.ListField(child=PinInput(), required=False, max_length=MOST_PINS)
    reason = Text(required=False, allow_blank=True, max_length=300, help_text="why, for the history")


class AllocationOutput(RecordOutput):
    """How many accelerators of a place a workload has in one of its months."""

    workload = serializers.CharField(source="workload_code")
    accelerators = DecimalText(max_digits=18, decimal_places=4)
    share = DecimalText(max_digits=9, decimal_places=6, allow_null=True)

    class Meta:
        model = AllocationRow
        fields = ("workload", "place", "month", "begins_on", "accelerators", "share")


class PortfolioLineOutput(RecordOutput):
    """A portfolio with its state and cost, without its plan."""

    currency = serializers.CharField(source="run.currency")
    npv = MoneyText(**AMOUNT)
    requested_by = serializers.CharField(source="requested_by.username", default=None, allow_null=True)
    stop_asked_by = serializers.CharField(source="stop_asked_by.username", default=None, allow_null=True)
    job_status = serializers.CharField(source="job.status", default=None, allow_null=True)
    pins = Documents()

    class Meta:
        model = Portfolio
        fields = (
            "id", "run", "state", "currency", "npv", "gap", "gap_asked", "time_limit_s", "build_seconds",
            "solve_seconds", "pins", "message", "job", "job_status", "digest", "engine_version", "solver",
            "requested_by", "requested_at", "reason", "last_asked_at", "stop_asked_by", "stop_asked_at",
            "finished_at",
        )  # fmt: skip


class PinPriceOutput(serializers.Serializer[Any]):
    """What the pins cost against the plan without them, and the bounds that both gaps leave."""

    free_portfolio = serializers.IntegerField(source="free.pk", default=None, allow_null=True)
    amount = MoneyText(**AMOUNT)
    at_least = MoneyText(**AMOUNT)
    at_most = MoneyText(**AMOUNT)


class PortfolioOutput(PortfolioLineOutput):
    """A portfolio with its plan; the allocation has an address of its own."""

    built = serializers.SerializerMethodField()
    committed = serializers.SerializerMethodField()
    binding = serializers.SerializerMethodField()
    conflict = serializers.SerializerMethodField()
    conflict_is_irreducible = serializers.SerializerMethodField()
    pin_price = serializers.SerializerMethodField()

    class Meta:
        model = Portfolio
        fields = (
            *PortfolioLineOutput.Meta.fields, "built", "committed", "binding", "conflict", "conflict_is_irreducible",
            "pin_price",
        )  # fmt: skip

    def get_built(self, portfolio: Portfolio) -> list[dict[str, Any]]:
        """Return the tranches that are bought or there in any case."""
        return list(portfolio.answer.get("built") or [])

    def get_committed(self, portfolio: Portfolio) -> list[dict[str, Any]]:
        """Return the commitments that are signed."""
        return list(portfolio.answer.get("committed") or [])

    def get_binding(self, portfolio: Portfolio) -> list[dict[str, Any]]:
        """Return the constraints that bind, each with its price and a sentence."""
        currency = portfolio.run.currency
        return [{**one, "words": constraint_words(one, currency)} for one in portfolio.answer.get("binding") or []]

    def get_conflict(self, portfolio: Portfolio) -> list[str]:
        """Return in words what cannot hold together."""
        return list(portfolio.answer.get("conflict") or [])

    def get_conflict_is_irreducible(self, portfolio: Portfolio) -> bool | None:
        """Return whether without any one of them the rest could hold; null where there is no conflict."""
        return portfolio.answer.get("conflict_is_irreducible")

    def get_pin_price(self, portfolio: Portfolio) -> dict[str, Any] | None:
        """Return what the pins cost; null where nothing is pinned."""
        price = pin_price(portfolio)
        return None if price is None else dict(PinPriceOutput(price).data)
