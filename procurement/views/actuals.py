"""Pages of measured use: files with what became of their rows, planned beside measured, offers to take or decline."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.actuals import UsageFileForm, WithdrawForm
from procurement.models import Build, Provider, UsageFile, UsageOffer, UsageRow, Workload
from procurement.selectors.actuals import (
    Measured,
    build_measured,
    builds_measured,
    usage_files_all,
    usage_offers_all,
    usage_rows_held_count,
    usage_rows_of,
    workload_measured,
    workloads_measured,
)
from procurement.services.actors import Actor
from procurement.services.actuals import usage_assign, usage_receive, usage_withdraw
from procurement.services.usage_offers import usage_offer_accept, usage_offer_decline
from procurement.views.actuals_display import measured_shown, offer_shown, row_shown
from procurement.views.base import ActionPage, Column, FormPage, ListPage, Page, stored_file, whole
from procurement.views.frame import Entry

POLLING_STOPS = 286  # htmx: swap this answer in and stop asking
KNOWN = {"unknown_place": Build, "unknown_workload": Workload, "unknown_provider": Provider}


class ActualsView(Page):
    """What was planned and what was measured, workload by workload and build by build."""

    template = "procurement/actuals.html"
    section_name = "look_back"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show both tables and the offers that wait."""
        groups = [
            {"title": "Workloads", "rows": [row_shown(one) for one in workloads_measured()]},
            {"title": "Builds", "rows": [row_shown(one) for one in builds_measured()]},
        ]
        offers = [offer_shown(offer, request.user) for offer in usage_offers_all().filter(state="open")]
        is_empty = not any(group["rows"] for group in groups)
        context = {"groups": groups, "offers": offers, "held": usage_rows_held_count(), "is_empty": is_empty}
        return self.show(context)


class MeasuredPage(Page):
    """Planned and measured of one workload or build."""

    template = "procurement/actuals_of.html"

    def measured(self) -> Measured:
        """Return what was measured."""
        raise NotImplementedError

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Show it by figure and by month, with the offers that were made of it."""
        measured = self.measured()
        offers = [offer_shown(offer, request.user) for offer in self.offers(measured)]
        return self.show({**measured_shown(measured), "offers": offers})

    def offers(self, measured: Measured) -> Any:
        """Return all offers of the record."""
        raise NotImplementedError

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Planned and measured", reverse("procurement:actuals"))]


class WorkloadMeasuredView(MeasuredPage):
    """Planned and measured of one workload."""

    def measured(self) -> Measured:
        """Return what was measured."""
        return workload_measured(get_object_or_404(Workload, code=self.kwargs["code"]))

    def offers(self, measured: Measured) -> Any:
        """Return all offers of the workload."""
        return usage_offers_all().filter(workload=measured.record)


class BuildMeasuredView(MeasuredPage):
    """Planned and measured of one build."""

    def measured(self) -> Measured:
        """Return what was measured."""
        return build_measured(get_object_or_404(Build.objects.prefetch_related("tranches"), code=self.kwargs["code"]))

    def offers(self, measured: Measured) -> Any:
        """Return all offers of the build."""
        return usage_offers_all().filter(build=measured.record)


class UsageFileListView(ListPage):
    """Files of measured use as they were received."""

    template = "procurement/usage_files.html"
    section_name = "look_back"
    columns = (
        Column("File", "file_name"), Column("Kind", "format_key"), Column("State", "state"), Column("Place"),
        Column("Workload"), Column("Covers", "covers_from"), Column("Read", "rows_read", "rows", True),
        Column("New", "rows_new", "rows", True), Column("Changed", "rows_changed", "rows", True),
        Column("Same", "rows_same", "rows", True), Column("Held", "rows_held", "rows", True),
        Column("Faulty", "rows_faulty", "rows", True), Column("Received", "received_at"),
    )  # fmt: skip

    def rows(self) -> Any:
        """Return them, newest first."""
        return usage_files_all()


class UsageFilePage(Page):
    """What the pages of one file share."""

    def record(self) -> UsageFile:
        """Return the file asked for."""
        return get_object_or_404(usage_files_all(), pk=self.kwargs["pk"])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [
            Entry("Look back", reverse("procurement:actuals")),
            Entry("Usage files", reverse("procurement:usage_files")),
        ]


class UsageFileDetailView(UsageFilePage):
    """What became of a file: counts, and every row that is not simply counted."""

    template = "procurement/usage_file.html"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the page, or only the part that changes while the file is being read."""
        file = self.record()
        rows = [{"row": row, "choices": self._choices(row)} for row in usage_rows_of(file)]
        context = {
            "file": file, "rows": rows, "is_waiting": file.state == "received", "is_imported": file.state == "imported",
            "form": WithdrawForm(initial={"version": file.version}),
        }  # fmt: skip
        if request.htmx:  # type: ignore[attr-defined]
            status = 200 if context["is_waiting"] else POLLING_STOPS
            return self.show(context, status=status, template="procurement/usage_file_outcome.html")
        return self.show(context)

    def _choices(self, row: UsageRow) -> list[tuple[str, str]]:
        model = KNOWN.get(row.code)
        if model is None:
            return []
        return list(model._default_manager.filter(is_archived=False).values_list("code", "name"))


class UsageFileFileView(UsageFilePage):
    """The original file, byte for byte."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Return it under its own name."""
        file = self.record()
        return stored_file(file.file, file.file_name)


class UsageFileCreateView(FormPage):
    """Upload a file of measured use."""

    action = "actuals.import"
    heading = "Import measured use"
    button = "Import"
    success = "{record} was received and is being read."
    template = "procurement/usage_file_form.html"

    def make_form(self, *args: Any, **kwargs: Any) -> UsageFileForm:
        """Return the form."""
        return UsageFileForm(*args, **kwargs)

    def store(self, form: UsageFileForm, by: Actor) -> UsageFile:
        """Receive the file; the same file again is the one that is there."""
        uploaded = form.cleaned_data["file"]
        file, _ = usage_receive(
            by=by, file_name=uploaded.name, content=uploaded.read(), source=form.cleaned_data["source"],
            options=form.options(),
        )  # fmt: skip
        return file

    def address_after(self, record: UsageFile) -> str:
        """Return the page of the file."""
        return reverse("procurement:usage_file", args=[record.pk])

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("Usage files", reverse("procurement:usage_files"))]


class UsageAssignView(ActionPage):
    """Say which record a name in a file means."""

    action = "actuals.import"
    success = "Done. The rows of that name count there from now on."

    def act(self, by: Actor) -> str:
        """Assign it."""
        row = get_object_or_404(UsageRow, pk=self.kwargs["row"], file=self.kwargs["pk"])
        usage_assign(by=by, row=row, code=self.sent("code"))
        return self.address_back()

    def address_back(self) -> str:
        """Return the page of the file."""
        return reverse("procurement:usage_file", args=[self.kwargs["pk"]])


class UsageWithdrawView(ActionPage):
    """Take back all that was read of a file."""

    action = "actuals.import"
    success = "Nothing of the file counts any more. The other files are being read again."

    def act(self, by: Actor) -> str:
        """Withdraw it."""
        file = get_object_or_404(UsageFile, pk=self.kwargs["pk"])
        usage_withdraw(by=by, file=file, version=self.version_sent(file.version))
        return self.address_back()

    def address_back(self) -> str:
        """Return the page of the file."""
        return reverse("procurement:usage_file", args=[self.kwargs["pk"]])


class UsageOfferDecideView(ActionPage):
    """Take a measured figure as the new assumption, or keep the planned one."""

    success = "Done. The decision is in the history."

    def offer(self) -> UsageOffer:
        """Return the offer asked for."""
        return get_object_or_404(usage_offers_all(), pk=self.kwargs["pk"])

    def act(self, by: Actor) -> str:
        """Accept or decline."""
        decide = {"accept": usage_offer_accept, "decline": usage_offer_decline}.get(self.kwargs["answer"])
        if decide is None:
            raise Http404
        offer = self.offer()
        decide(by=by, offer=offer, version=whole(self.sent("version")) or offer.version)
        return self.address_back()

    def address_back(self) -> str:
        """Return the record that it is about."""
        offer = self.offer()
        if offer.workload is not None:
            return reverse("procurement:workload_measured", args=[offer.workload.code])
        return reverse("procurement:build_measured", args=[offer.build.code])  # type: ignore[union-attr]
