"""Contract discounts: list, new, change on the version in If-Match, archive and restore."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from procurement.api.base import (
    ARCHIVED,
    ArchiveApi,
    ChangeApi,
    CreateApi,
    ListApi,
    VersionedActionApi,
    found,
)
from procurement.api.filters import Filter, modified_filters
from procurement.api.serializers_base import ReasonInput
from procurement.api.serializers_prices import DiscountInput, DiscountOutput
from procurement.models import ContractDiscount
from procurement.selectors.discounts import discounts_all
from procurement.services.actors import Actor
from procurement.services.discounts import discount_archive, discount_create, discount_update


class DiscountListApi(ListApi, CreateApi):
    """Contract discounts, and a new one."""

    resource = "quotes"
    actions = {"POST": "discount.edit"}
    filters = (
        Filter("provider", "provider__code", "code of the supplier"),
        Filter("accelerator", "accelerator", "accelerator it is for"),
        Filter("valid_until_since", "valid_until__gte", "stated to hold on this day", "day"),
        *modified_filters(),
        ARCHIVED,
    )
    output = DiscountOutput
    input = DiscountInput

    def records(self, **kwargs: Any) -> QuerySet[ContractDiscount]:
        """Return all discounts."""
        return discounts_all()

    def create(self, by: Actor, values: dict[str, Any], **kwargs: Any) -> ContractDiscount:
        """Store a discount."""
        return discount_create(by=by, values=values)

    def location(self, record: ContractDiscount) -> str:
        """Return its address."""
        return reverse("api:discount", kwargs={"code": record.code})


class DiscountDetailApi(ChangeApi, ArchiveApi):
    """One discount; runs that used it keep what it was."""

    resource = "quotes"
    actions = {"PATCH": "discount.edit", "DELETE": "discount.edit"}
    output = DiscountOutput
    input = DiscountInput

    def record(self, **kwargs: Any) -> ContractDiscount:
        """Return the discount."""
        return found(discounts_all(), "discount", **kwargs)

    def change(self, by: Actor, record: ContractDiscount, version: int, values: dict[str, Any]) -> ContractDiscount:
        """Change it."""
        return discount_update(by=by, discount=record, version=version, values=values)

    def archive(self, by: Actor, record: ContractDiscount, version: int) -> ContractDiscount:
        """Take it out of use."""
        return discount_archive(by=by, discount=record, version=version)


class DiscountRestoreApi(VersionedActionApi):
    """Bring a discount back, where no other has taken its place."""

    resource = "quotes"
    actions = {"POST": "discount.edit"}
    output = DiscountOutput
    input = ReasonInput

    def record(self, **kwargs: Any) -> ContractDiscount:
        """Return the discount."""
        return found(discounts_all(), "discount", **kwargs)

    def carry_out(self, by: Actor, record: ContractDiscount, version: int, values: dict[str, Any]) -> ContractDiscount:
        """Bring it back."""
        return discount_archive(by=by, discount=record, version=version, is_archived=False)
