"""What all pages share: who may see them, lists with their state in the address, forms, refusals and conflicts."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.db.models import Model
from django.db.models.fields.files import FieldFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views import View
from django_filters import FilterSet

from procurement.errors import PermissionRefused, ProcurementError, VersionConflict
from procurement.permissions import can, require
from procurement.selectors.history import history_of
from procurement.services.actors import Actor
from procurement.tasks import nudge
from procurement.views.frame import Entry, section

PAGE_SIZES = (25, 100, 250)
MOST_DIGITS = 18  # of a number that counts records or versions


class Page(View):
    """A page for people with a role; ``action`` says which right it needs."""

    action = "record.view"
    template = ""
    section_name = ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Ask strangers to sign in, and tell people what they may not do and who may."""
        if not request.user.is_authenticated:
            if request.htmx:  # type: ignore[attr-defined]
                return render(request, "components/signed_out.html", status=401)
            return redirect_to_login(request.get_full_path())
        try:
            require(request.user, self.action)
            return super().dispatch(request, *args, **kwargs)
        except PermissionRefused as refusal:
            return render(request, "403.html", {"refusal": refusal.message}, status=403)

    def show(self, context: Mapping[str, Any], status: int = 200, template: str = "") -> HttpResponse:
        """Return the page."""
        around = {"may": Rights(self.request.user), "crumbs": self.crumbs()}
        if self.section_name:
            around["tabs"] = section(self.section_name, self.request.path)
        return render(self.request, template or self.template, {**around, **context}, status=status)

    def crumbs(self) -> list[Entry]:
        """Return the pages above this one."""
        return []

    def actor(self, reason: str = "") -> Actor:
        """Return who is doing this, at the web door."""
        return Actor(user=self.request.user, source="web", reason=reason)

    def asked(self, name: str) -> str:
        """Return a part of the address, without what no database can hold."""
        return self.request.GET.get(name, "").replace("\0", "").strip()


class Rights:
    """What the person may do, for templates: ``may.quote_edit``."""

    def __init__(self, user: Any) -> None:
        self.user = user

    def __getitem__(self, name: str) -> bool:
        return can(self.user, name.replace("_", ".", 1))


class Column(NamedTuple):
    """One column of a list."""

    name: str
    sort: str = ""
    unit: str = ""
    is_numeric: bool = False


class ListPage(Page):
    """A list: filters, order, page and page size all stand in the address."""

    filterset: type[FilterSet] | None = None
    columns: ClassVar[Sequence[Column]] = ()
    order = ""

    def rows(self) -> Any:
        """Return all rows, as a QuerySet."""
        raise NotImplementedError

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Show the page of the list that the address asks for."""
        everything = self.rows()
        chosen, form, chips = self._filtered(everything)
        ordered, key = self._ordered(chosen)
        size = (
            int(request.GET["size"]) if request.GET.get("size") in {str(size) for size in PAGE_SIZES} else PAGE_SIZES[0]
        )
        paginator = Paginator(ordered, size)
        page = paginator.get_page(request.GET.get("page"))
        context = {
            "page": page, "page_sizes": PAGE_SIZES, "page_numbers": paginator.get_elided_page_range(page.number),
            "filter_form": form, "chips": chips, "columns": [self._head(column, key) for column in self.columns],
            "count": paginator.count, "count_all": everything.count() if chips else paginator.count,
            "query": request.GET.urlencode(),
        }  # fmt: skip
        return self.show({**context, **self.more(page)})

    def more(self, page: Any) -> dict[str, Any]:
        """Return what the page shows besides."""
        return {}

    def chosen(self) -> Any:
        """Return the rows that the filters leave, in the order asked for."""
        return self._ordered(self._filtered(self.rows())[0])[0]

    def _filtered(self, rows: Any) -> tuple[Any, Any, list[dict[str, Any]]]:
        if self.filterset is None:
            return rows, None, []
        found = self.filterset(self.request.GET, queryset=rows, request=self.request)
        form = found.form
        form.is_valid()
        chips = []
        for field in form:
            value = form.cleaned_data.get(field.name)
            if value not in (None, "", []) and (not hasattr(value, "exists") or value.exists()):
                rest = self.request.GET.copy()
                for name in (field.name, "page"):
                    rest.pop(name, None)
                chips.append({"name": field.label, "value": _words(field, value), "address": f"?{rest.urlencode()}"})
        return found.qs, form, chips

    def _ordered(self, rows: Any) -> tuple[Any, str]:
        known = {column.sort for column in self.columns if column.sort}
        key = self.request.GET.get("sort", "")
        if key.removeprefix("-") not in known:
            key = self.order
        return (rows.order_by(key, "pk") if key else rows), key

    def _head(self, column: Column, key: str) -> dict[str, Any]:
        query = self.request.GET.copy()
        query.pop("page", None)
        is_sorted = bool(column.sort) and key.removeprefix("-") == column.sort
        query["sort"] = f"-{column.sort}" if is_sorted and not key.startswith("-") else column.sort
        return {
            "name": column.name, "unit": column.unit, "is_numeric": column.is_numeric,
            "sort_address": f"?{query.urlencode()}" if column.sort else "",
            "sorted": ("descending" if key.startswith("-") else "ascending") if is_sorted else "",
        }  # fmt: skip


class FormPage(Page):
    """A form: valid, then the service, then on; refused, then the same form with the reasons and status 422."""

    heading = ""
    button = "Save"
    success = "Saved."
    template = "procurement/form.html"

    def make_form(self, *args: Any, **kwargs: Any) -> Any:
        """Return the form, bound or not."""
        raise NotImplementedError

    def store(self, form: Any, by: Actor) -> Any:
        """Call the service and return the record."""
        raise NotImplementedError

    def address_after(self, record: Any) -> str:
        """Return where to go when it is stored."""
        raise NotImplementedError

    def get(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Show the form."""
        return self.show({"form": self.make_form(), **self.more()})

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        """Take what was typed."""
        form = self.make_form(request.POST, request.FILES)
        if form.is_valid():
            try:
                record = self.store(form, self.actor(form.cleaned_data.get("reason", "")))
            except VersionConflict:
                return self.conflict(form)
            except PermissionRefused:
                raise
            except ProcurementError as error:
                form.take_refusal(error)
            else:
                return self._done(form, record)
        return self.show({"form": form, **self.more()}, status=422)

    def more(self) -> dict[str, Any]:
        """Return what the page shows besides."""
        return {"heading": self.heading, "button": self.button}

    def conflict(self, form: Any) -> HttpResponse:
        """Show both values of what two people changed; nothing of either is lost."""
        current = self.current(form.instance)
        merged, differences, taken = form.merged(current)
        context = {"form": merged, "differences": differences, "taken": taken, "changed": self.last_change(current)}
        return self.show({**self.more(), **context}, status=409, template="procurement/conflict.html")

    def current(self, record: Model) -> Model:
        """Return the record as it stands now."""
        return type(record)._default_manager.get(pk=record.pk)

    def last_change(self, record: Model) -> Any:
        """Return the newest entry of the record's history."""
        return history_of(record).first()

    def _done(self, form: Any, record: Any) -> HttpResponse:
        nudge()
        notes = getattr(form, "echoes", [])
        messages.success(self.request, " ".join([self.success.format(record=record), *(f"{note}." for note in notes)]))
        return HttpResponseRedirect(self.address_after(record))


class ActionPage(Page):
    """A button: does one thing by POST and returns to a page."""

    success = ""

    def act(self, by: Actor) -> str:
        """Call the service and return where to go."""
        raise NotImplementedError

    def sent(self, name: str) -> str:
        """Return what was sent with the button, without what no database can hold."""
        return self.request.POST.get(name, "").replace("\0", "").strip()

    def version_sent(self, otherwise: int) -> int:
        """Return the version that the person saw."""
        sent = self.sent("version")
        return (whole(sent) or 0) if sent else otherwise

    def undo_address(self) -> str:
        """Return the address whose POST takes it back, empty when nothing does."""
        return ""

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Do it; a refusal is said on the page one came from."""
        try:
            address = self.act(self.actor(self.sent("reason")))
        except PermissionRefused:
            raise
        except ProcurementError as error:
            messages.error(request, error.message)
            return HttpResponseRedirect(self.address_back())
        nudge()
        undo = self.undo_address()
        messages.success(request, self.success, extra_tags=f"undo:{undo}" if undo else "")
        return HttpResponseRedirect(address)

    def address_back(self) -> str:
        """Return the page of the record."""
        raise NotImplementedError


def whole(text: str) -> int | None:
    """Return the number that was sent, ``None`` for anything that counts no record."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def file_answer(name: str, content: bytes, content_type: str, rows: int | None = None) -> HttpResponse:
    """Return a file to save; the number of rows stands in a header."""
    headers = {"Content-Disposition": content_disposition_header(True, name), "X-Content-Type-Options": "nosniff"}
    if rows is not None:
        headers["X-Row-Count"] = str(rows)
    return HttpResponse(content, content_type=content_type, headers=headers)


def stored_file(file: FieldFile, name: str) -> HttpResponseBase:
    """Return a file as it was received: to save, never to show, whatever its name or its content says it is."""
    try:
        content = file.open("rb")
    except OSError as error:
        message = f"The content of {name} is no longer on this server."
        raise Http404(message) from error
    return FileResponse(content, as_attachment=True, filename=name, content_type="application/octet-stream")


def _words(field: Any, value: Any) -> str:
    pairs = dict(getattr(field.field, "choices", None) or ())
    if hasattr(value, "exists"):
        return ", ".join(str(record) for record in value)
    if isinstance(value, list | tuple):
        return ", ".join(str(pairs.get(part, part)) for part in value)
    return str(pairs.get(value, value))
