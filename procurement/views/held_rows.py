"""Pages of held rows: what holds each and what would release it, what was released, and the mapping of names."""

from typing import Any

from django.urls import reverse

from procurement.forms.mappings import MappingForm
from procurement.models import AcceleratorAlias, SheetRowState
from procurement.selectors.held_rows import held_rows_all, mappings_all
from procurement.services.actors import Actor
from procurement.services.providers import accelerator_alias_create
from procurement.views.base import FormPage, ListPage
from procurement.views.frame import Entry
from procurement.views.suggestions import suggestions

MAPPINGS_SHOWN = 50


class HeldRowListView(ListPage):
    """Rows of price sheets that are readable but not trusted, of all sheets; or those that were released."""

    template = "procurement/held_rows.html"
    section_name = "quotes"

    def state(self) -> str:
        """Return which rows are shown."""
        asked = self.asked("state")
        return asked if asked == SheetRowState.RELEASED else SheetRowState.HELD

    def rows(self) -> Any:
        """Return the rows."""
        return held_rows_all(self.state())

    def more(self, page: Any) -> dict[str, Any]:
        """Return which rows are shown, and the mappings there are."""
        return {"state": self.state(), "mappings": mappings_all()[:MAPPINGS_SHOWN]}


class MappingCreateView(FormPage):
    """Map a name that suppliers use; held rows are read anew with it."""

    action = "reference.edit"
    heading = "Map a name"
    button = "Save mapping"
    success = "{record} was saved. Held rows are being read anew with it."

    def make_form(self, *args: Any, **kwargs: Any) -> MappingForm:
        """Return the form, with the name that a held row asks for."""
        return MappingForm(args[0] if args else None, initial={"name": self.asked("name"), "kind": self.asked("kind")})

    def store(self, form: MappingForm, by: Actor) -> AcceleratorAlias:
        """Store it."""
        return accelerator_alias_create(by=by, values=form.values())

    def more(self) -> dict[str, Any]:
        """Return known names to choose from."""
        return {**super().more(), **suggestions()}

    def address_after(self, record: AcceleratorAlias) -> str:
        """Return the held rows."""
        return reverse("procurement:held_rows")

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Quotes", reverse("procurement:quotes")), Entry("Held rows", reverse("procurement:held_rows"))]
