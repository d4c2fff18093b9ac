"""Forms of sites, builds and their parts: tranches, cost lines, waivers, evidence and promises."""

from typing import Any

from django import forms

from procurement.choices import column_notes, event_choices, gate_choices, label
from procurement.forms.base import BLANK, RecordForm, RefusableForm, Section
from procurement.forms.fields import MEASURED_RUN, DayField, NumberField, RowsField
from procurement.models import Build, CostLine, Evidence, Promise, Site, Tranche, Waiver
from procurement.selectors.builds import sites_active
from procurement.selectors.quotes import providers_active

MEDIA = ("air", "liquid")


class SiteForm(RecordForm):
    """A place with land, power and a building."""

    model = Site
    layout = (Section("Site", ("name", "code", "country", "region", "utility", "note")),)


class BuildForm(RecordForm):
    """A cluster that is built; tranches, evidence, promises and costs follow on its page."""

    model = Build
    table = "Build"
    layout = (
        Section("What is built", ("name", "code", "operator", "site", "region", "owner", "committed", "cancelled_on")),
        Section("Accelerators", ("accelerator", "accelerators_per_node", "design_class", "node_ids_known")),
        Section(
            "Power and cooling", ("it_kw_per_node", "cooling_air", "cooling_liquid"),
            "All-in power of a node, and the heat that each medium must carry away.",
        ),
        Section(
            "Network",
            ("fabric", "rdma_ports_per_node", "network_gbps_per_accelerator", "measured_allreduce_gbps"),
        ),
        Section(
            "Runs timed here", ("toll_multiplier", "measured_runs"),
            "They calibrate the modelled communication time to this site. A stated multiplier stands above the runs.",
            is_folded=True,
        ),
        Section("After the gates", ("bringup_days", "availability")),
        Section(
            "Failures and storage rates",
            ("failures_per_1000_node_days", "restart_minutes", "storage_read_gb_s", "storage_write_gb_s"),
            is_folded=True,
        ),
        Section("Note", ("note",), is_folded=True),
    )  # fmt: skip
    cooling_air = NumberField(unit="kW per node", required=False, label="Cooling by air")
    cooling_liquid = NumberField(unit="kW per node", required=False, label="Cooling by liquid")
    measured_runs = RowsField(MEASURED_RUN, required=False, label="Timed runs")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["operator"].queryset = providers_active()  # type: ignore[attr-defined]
        self.fields["operator"].empty_label = "We ourselves"  # type: ignore[attr-defined]
        self.fields["site"].queryset = sites_active()  # type: ignore[attr-defined]
        self.fields["accelerator"].widget.attrs["list"] = "accelerators"

    def _stored(self) -> dict[str, Any]:
        cooling = getattr(self.instance, "cooling_kw_per_node", None) or {}
        self.initial = {**{f"cooling_{medium}": cooling.get(medium) for medium in MEDIA}, **self.initial}
        return super()._stored()

    def values(self) -> dict[str, Any]:
        """Return the values of the build, with cooling by medium."""
        cooling = {medium: self.cleaned_data.get(f"cooling_{medium}") for medium in MEDIA}
        found = {medium: float(kw) for medium, kw in cooling.items() if kw is not None}
        return super().values() | {"cooling_kw_per_node": found}


class TrancheForm(RecordForm):
    """A part of a build that is handed over together."""

    model = Tranche
    table = "Tranche"
    layout = (Section("Tranche", ("code", "planned_accelerators", "fabric_domain")),)


class CostLineForm(RecordForm):
    """One priced line of a build."""

    model = CostLine
    table = "CostLine"
    layout = (
        Section("What is paid", ("component", "amount", "currency", "basis", "status", "source")),
        Section("When", ("at_month", "months", "life_months", "residual_fraction")),
        Section("Power line", ("it_kw", "pue", "price_per_kwh", "idle_fraction", "kw"), is_folded=True),
        Section("Staff line, and what else it covers", ("fte", "covers"), is_folded=True),
    )


class WaiverForm(RecordForm):
    """An expected component that is knowingly left out."""

    model = Waiver
    layout = (Section("Left out", ("component",)),)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = True
        self.fields["reason"].label = "Why it costs nothing here"

    def values(self) -> dict[str, Any]:
        """Return the component with the reason, which is part of the record."""
        return super().values() | {"reason": self.cleaned_data["reason"]}


class StatementForm(RecordForm):
    """What evidence and promises share: the gate and the part of the build."""

    def __init__(self, *args: Any, build: Build, **kwargs: Any) -> None:
        self.build = build
        super().__init__(*args, **kwargs)
        parts = tranche_choices(build)
        self.fields["tranche"] = forms.ChoiceField(label="Part of the build", choices=parts)
        self.initial["tranche"] = parts[0][0]
        self.fields["reason"].required = False


class EvidenceForm(StatementForm):
    """A statement that a gate was reached or lost, with its proof."""

    model = Evidence
    table = "Evidence"
    layout = (
        Section("What is proven", ("gate", "tranche", "qty", "unit", "grade", "event")),
        Section("When", ("observed_on", "achieved_on", "valid_until")),
        Section(
            "Proof", ("source", "attachment", "note"),
            "A link or a file. A statement is never edited: a later one answers it.",
        ),
        Section(
            "Power, cooling and network in detail",
            ("medium", "scope", "basis", "redundancy", "feeds", "continuous_factor", "pue", "power_basis"),
            "For powered, cooled and networked.", is_folded=True,
        ),
        Section("Nodes", ("node_first", "node_last"), "When the evidence names nodes.", is_folded=True),
    )  # fmt: skip
    attachment = forms.FileField(required=False, label="File", help_text="At most 20 MB; it is kept as it is.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        notes = column_notes("Evidence")
        names = ("unit", "medium", "scope", "basis", "redundancy")
        self.choices_of = {name: [(code, code.replace("_", " ")) for code in notes[name].choices] for name in names}
        self.choices_of |= {"gate": gate_choices(), "event": BLANK + event_choices()}
        super().__init__(*args, **kwargs)
        self.fields["event"].label = "Loss or reduction"
        for name in ("source", "note"):
            self.fields[name].is_full = True

    def values(self) -> dict[str, Any]:
        """Return the statement without its file."""
        values = super().values() | {"tranche": self.cleaned_data["tranche"]}
        values.pop("attachment", None)
        return {name: value for name, value in values.items() if value is not None}

    def file(self) -> tuple[str, bytes] | None:
        """Return name and bytes of the attached proof."""
        uploaded = self.cleaned_data.get("attachment")
        return (uploaded.name, uploaded.read()) if uploaded else None


class PromiseForm(StatementForm):
    """A date that somebody promised, with the day it was promised."""

    model = Promise
    table = "Promise"
    layout = (
        Section("What is promised", ("gate", "tranche", "date")),
        Section("By whom, and when", ("stated_on", "stated_by", "source")),
        Section("Particulars", ("medium", "slip_class"), is_folded=True),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.choices_of = {"medium": BLANK + [(medium, medium) for medium in MEDIA]}
        super().__init__(*args, **kwargs)

    def values(self) -> dict[str, Any]:
        """Return the promise."""
        return super().values() | {"tranche": self.cleaned_data["tranche"]}


class ConfirmForm(RefusableForm):
    """Still true: the same statement on a later day."""

    observed_on = DayField(label="Still true on")
    source = forms.CharField(max_length=500, required=False, label="Proof, if another one")


def tranche_choices(build: Build) -> list[tuple[str, str]]:
    """Return the parts that a statement may concern: each tranche, all of them, the site's pool."""
    tranches = [tranche for tranche in build.tranches.all() if not tranche.is_archived]
    pairs = [(tranche.code, f"{tranche.code}, {tranche.planned_accelerators:,} accelerators") for tranche in tranches]
    pairs.append(("*", "All tranches together"))
    if build.site:
        pairs.append((f"site:{build.site.code}", f"All builds of {build.site.name}"))
    return pairs


def gate_word(code: str) -> str:
    """Return the words of a gate."""
    return label(code)
