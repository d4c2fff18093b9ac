"""Pages of contract discounts: list, discount with the offers it is for, form, archive."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.discounts import DiscountForm
from procurement.models import ContractDiscount
from procurement.selectors.assumptions import day_of_evaluation, zone_of_evaluation
from procurement.selectors.discounts import discounts_all, holds_on, quotes_covered, scope_words, size_words
from procurement.selectors.prices import price_book
from procurement.services.actors import Actor
from procurement.services.discounts import discount_archive, discount_create, discount_update
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page
from procurement.views.filters import DiscountFilter
from procurement.views.frame import Entry
from procurement.views.history import history_shown
from procurement.views.suggestions import suggestions

OFFERS_SHOWN = 100


class DiscountListView(ListPage):
    """What suppliers take off their list prices."""

    template = "procurement/discounts.html"
    section_name = "quotes"
    filterset = DiscountFilter
    order = "provider__name"
    columns = (
        Column("Discount", "code"), Column("Supplier", "provider__name"), Column("Off"), Column("For"),
        Column("From", "valid_from"), Column("Until", "valid_until"), Column("State"), Column("Contract"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return the discounts in use, archived ones only when asked for."""
        return discounts_all().filter(is_archived=self.request.GET.get("state") == "archived")

    def more(self, page: Any) -> dict[str, Any]:
        """Return the lines with what each takes off, of what, and whether it holds today."""
        return {"rows": [discount_shown(discount) for discount in page], "today": day_of_evaluation()}


class DiscountPage(Page):
    """What the pages of discounts share."""

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        quotes, discounts = reverse("procurement:quotes"), reverse("procurement:discounts")
        return [Entry("Quotes", quotes), Entry("Discounts", discounts)]


class DiscountDetailView(DiscountPage):
    """One discount: terms, the offers it is for with list price and what is paid, history."""

    template = "procurement/discount.html"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it."""
        discount = get_object_or_404(discounts_all(), code=code)
        quotes = quotes_covered(discount)
        book = price_book()
        context = {
            **discount_shown(discount), "offers": book.all_priced(quotes[:OFFERS_SHOWN]), "offers_count": len(quotes),
            "today": book.day, "zone": book.time_zone, "entries": history_shown(discount),
        }  # fmt: skip
        return self.show(context)


class DiscountFormPage(DiscountPage, FormPage):
    """What entering and changing share."""

    action = "discount.edit"

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions()}

    def address_after(self, record: ContractDiscount) -> str:
        """Return the page of the discount."""
        return reverse("procurement:discount", args=[record.code])


class DiscountCreateView(DiscountFormPage):
    """A new discount."""

    heading = "New discount"
    button = "Save discount"
    success = "{record} was saved. Recommendations are being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> DiscountForm:
        """Return the form, from today in the zone of the assumptions."""
        initial = {"valid_from": day_of_evaluation(), "time_zone": zone_of_evaluation()}
        return DiscountForm(*args, initial=initial, **kwargs)

    def store(self, form: DiscountForm, by: Actor) -> ContractDiscount:
        """Store it."""
        return discount_create(by=by, values=form.values())


class DiscountUpdateView(DiscountFormPage):
    """A discount that is changed; runs that used it keep what it was."""

    heading = "Change discount"
    button = "Save change"
    success = "{record} was changed. Recommendations are being recomputed."

    def make_form(self, *args: Any, **kwargs: Any) -> DiscountForm:
        """Return the form on the discount."""
        return DiscountForm(*args, instance=get_object_or_404(ContractDiscount, code=self.kwargs["code"]), **kwargs)

    def store(self, form: DiscountForm, by: Actor) -> ContractDiscount:
        """Store the change."""
        version = form.cleaned_data["version"]
        return discount_update(by=by, discount=form.instance, version=version, values=form.values())  # type: ignore[arg-type]

    def more(self) -> dict[str, Any]:
        """Name the discount in the heading."""
        return {**super().more(), "heading": f"Change {self.kwargs['code']}"}


class DiscountArchiveView(ActionPage):
    """Take a discount out of use, or bring it back."""

    action = "discount.edit"
    is_archived = True
    success = "Done. Recommendations are being recomputed."

    def act(self, by: Actor) -> str:
        """Archive it."""
        discount = get_object_or_404(ContractDiscount, code=self.kwargs["code"])
        version = self.version_sent(discount.version)
        discount_archive(by=by, discount=discount, version=version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:discount_restore", args=[self.kwargs["code"]]) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the page of the discount."""
        return reverse("procurement:discount", args=[self.kwargs["code"]])


def discount_shown(discount: ContractDiscount) -> dict[str, Any]:
    """Return a discount with its words and its state today."""
    day, zone = day_of_evaluation(), zone_of_evaluation()
    if discount.is_archived:
        state = "archived"
    elif holds_on(discount, day, zone):
        state = "in_force"
    else:
        state = "expired" if discount.valid_until and discount.valid_until < day else "planned"
    return {"discount": discount, "size": size_words(discount), "scope": scope_words(discount), "state": state}
