"""Filters of the lists; each stands in the address under its own name."""

from datetime import date, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any
from zoneinfo import ZoneInfo

import django_filters
from django import forms
from django.db.models import Q, QuerySet

from procurement.choices import (
    capacity_class_choices,
    interconnect_choices,
    kind_choices,
    purchase_model_choices,
    shape_choices,
)
from procurement.models import (
    Build,
    DecisionState,
    JobStatus,
    PortfolioState,
    Quote,
    RequestState,
    RunState,
    SheetState,
)
from procurement.selectors.assumptions import day_of_evaluation, moment_of_evaluation
from procurement.selectors.quotes import providers_active, quote_expiry, quote_time_zones

SOON_DAYS = 14
STATES = (("archived", "Archived"),)
VALIDITIES = (("open", "Can be signed today"), ("soon", f"Ends within {SOON_DAYS} days"), ("ended", "Ended"))


def search_filter(*fields: str) -> django_filters.CharFilter:
    """Return a filter that wants every word typed in one of the fields."""

    def narrowed(queryset: QuerySet[Any], _name: str, value: str) -> QuerySet[Any]:
        for word in value.split():
            queryset = queryset.filter(reduce(or_, (Q(**{f"{field}__icontains": word}) for field in fields)))
        return queryset

    return django_filters.CharFilter(label="Search", method=narrowed, widget=forms.TextInput(attrs={"type": "search"}))


def choice_filter(field: str, label: str, choices: Any) -> django_filters.ChoiceFilter:
    """Return a filter on one choice."""
    return django_filters.ChoiceFilter(field_name=field, label=label, choices=choices, empty_label="Any")


def as_given(queryset: QuerySet[Any], _name: str, _value: str) -> QuerySet[Any]:
    """Leave the rows alone: the page has chosen them already."""
    return queryset


def valid_on(day: date, moment: datetime) -> Q:
    """Return what can be signed at a moment of a day: stated, or within the age that its way of buying allows."""
    stated = Q(time_zone="", valid_until__gte=day)
    for name in quote_time_zones():
        stated |= Q(time_zone=name, valid_until__gte=moment.astimezone(ZoneInfo(name)).date())
    return reduce(or_, (_young_enough(code, day) for code, _ in purchase_model_choices()), stated)


def _young_enough(purchase_model: str, day: date) -> Q:
    probe = Quote(purchase_model=purchase_model, quoted_on=day, valid_until=None)
    age_limit = quote_expiry(probe, day, "UTC").days_left
    return Q(valid_until__isnull=True, purchase_model=purchase_model, quoted_on__gte=day - timedelta(days=age_limit))


class QuoteFilter(django_filters.FilterSet):
    """Filters of the list of quotes."""

    q = search_filter("code", "sku", "accelerator", "provider__name", "region")
    accelerator = django_filters.AllValuesFilter(label="Accelerator", empty_label="Any")
    provider = django_filters.ModelChoiceFilter(
        label="Provider", queryset=lambda _request: providers_active(), empty_label="Any", to_field_name="code"
    )
    purchase_model = choice_filter("purchase_model", "Bought", purchase_model_choices)
    interconnect = choice_filter("interconnect", "Interconnect", interconnect_choices)
    capacity_class = choice_filter("capacity_class", "Capacity", capacity_class_choices)
    validity = django_filters.ChoiceFilter(
        label="Validity", choices=VALIDITIES, method="by_validity", empty_label="Any"
    )
    state = django_filters.ChoiceFilter(label="Shown", choices=STATES, method=as_given, empty_label="In force")

    class Meta:
        model = Quote
        fields = ()

    def by_validity(self, queryset: QuerySet[Quote], _name: str, value: str) -> QuerySet[Quote]:
        """Keep what can be signed, ends soon or has ended."""
        today, now, ahead = day_of_evaluation(), moment_of_evaluation(), timedelta(days=SOON_DAYS + 1)
        if value == "open":
            return queryset.filter(valid_on(today, now))
        if value == "ended":
            return queryset.exclude(valid_on(today, now))
        return queryset.filter(valid_on(today, now)).exclude(valid_on(today + ahead, now + ahead))


class ProviderFilter(django_filters.FilterSet):
    """Filters of the list of providers."""

    q = search_filter("code", "name")
    state = django_filters.ChoiceFilter(label="Shown", choices=STATES, method=as_given, empty_label="In use")


class DiscountFilter(django_filters.FilterSet):
    """Filters of the list of discounts."""

    q = search_filter("code", "provider__name", "provider__code", "accelerator", "sku_pattern", "source")
    state = django_filters.ChoiceFilter(label="Shown", choices=STATES, method=as_given, empty_label="In use")


class SiteFilter(django_filters.FilterSet):
    """Filters of the list of sites."""

    q = search_filter("code", "name", "region", "utility")
    state = django_filters.ChoiceFilter(label="Shown", choices=STATES, method=as_given, empty_label="In use")


class SheetFilter(django_filters.FilterSet):
    """Filters of the list of price sheets."""

    q = search_filter("file_name", "source")
    state = choice_filter("state", "State", SheetState.choices)


class BuildFilter(django_filters.FilterSet):
    """Filters of the list of builds."""

    q = search_filter("code", "name", "accelerator", "operator__name", "site__name")
    operator = django_filters.ChoiceFilter(
        label="Operator", choices=(("own", "Ours"), ("others", "Providers")), method="by_operator", empty_label="Any"
    )
    accelerator = django_filters.AllValuesFilter(label="Accelerator", empty_label="Any")
    state = django_filters.ChoiceFilter(label="Shown", choices=STATES, method=as_given, empty_label="In use")

    class Meta:
        model = Build
        fields = ()

    def by_operator(self, queryset: QuerySet[Build], _name: str, value: str) -> QuerySet[Build]:
        """Keep our builds or those of providers."""
        return queryset.filter(operator__isnull=value == "own")


class WorkloadFilter(django_filters.FilterSet):
    """Filters of the list of workloads."""

    q = search_filter("code", "name", "note")
    kind = choice_filter("kind", "Kind", kind_choices)
    shape = choice_filter("shape", "Shape", shape_choices)
    state = django_filters.ChoiceFilter(label="Shown", choices=STATES, method=as_given, empty_label="In use")


class RunFilter(django_filters.FilterSet):
    """Filters of the list of runs."""

    state = choice_filter("state", "State", RunState.choices)


class PortfolioFilter(django_filters.FilterSet):
    """Filters of the list of portfolios."""

    state = choice_filter("state", "State", PortfolioState.choices)


class JobFilter(django_filters.FilterSet):
    """Filters of the list of jobs."""

    status = choice_filter("status", "Status", JobStatus.choices)


class DecisionFilter(django_filters.FilterSet):
    """Filters of the list of decisions."""

    q = search_filter("code", "workload_code", "option")
    state = choice_filter("state", "State", DecisionState.choices)


class RequestFilter(django_filters.FilterSet):
    """Filters of the list of requests for quotes."""

    q = search_filter("code", "title", "need", "region")
    state = choice_filter("state", "State", [pair for pair in RequestState.choices if pair[0] != "closed"])
