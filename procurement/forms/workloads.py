"""The form of a workload, with presets that only fill in first values."""

from typing import Any

from procurement.choices import column_notes, workload_presets
from procurement.forms.base import Nested, RecordForm, Section, estimate_of
from procurement.forms.fields import ListField, NumberField, RowsField
from procurement.models import Workload

DEMAND = (
    "utilisation", "hours_per_month", "base", "peak", "curve", "tokens_per_second", "peak_to_mean", "monthly", "hourly",
)  # fmt: skip
TRAINING = ("params_b", "active_params_b", "tokens_per_step", "total_tokens", "mfu_node", "checkpoint_gb")
INFERENCE = (
    "model", "slo", "tokens_per_second_per_accelerator", "requests_per_second", "service_seconds", "max_wait_seconds",
    "tail", "redundancy",
)  # fmt: skip
MEASURED_MONTH = ("month", "utilisation", "efficiency", "goodput", "feed")
ANCHOR = ("anchor_accelerators", "anchor_step_s")


class WorkloadForm(RecordForm):
    """One need for accelerators."""

    model = Workload
    table = "Workload"
    nested = (
        Nested("demand", "Demand", DEMAND),
        Nested("training", "Training", TRAINING),
        Nested("inference", "Inference", INFERENCE),
        Nested("current", "CurrentPlace", ("place", "cost_per_month")),
    )
    layout = (
        Section("What", ("name", "code", "kind", "shape", "owner", "note")),
        Section(
            "How many",
            ("accelerators", "accelerator_types", "min_memory_gb", "interconnect", "fabrics"),
            "Stated for the first accepted accelerator; others are scaled by their published rates.",
        ),
        Section("When", ("start", "need_by", "months", "days", "end", "deadline_policy", "interruptible")),
        Section(
            "How much work", (*(f"demand_{name}" for name in DEMAND), "growth_per_year"),
            "Fill in one way only: a share, hours, base and peak, tokens, or figures by month or hour.",
        ),
        Section("Where", ("residency", "allowed_providers")),
        Section(
            "Data", ("dataset_gb", "storage_gb", "egress_gb_per_month", "feed_gb_s_per_accelerator"), is_folded=True
        ),
        Section("Training job", (*(f"training_{name}" for name in TRAINING), *ANCHOR), is_folded=True),
        Section("Inference service", tuple(f"inference_{name}" for name in INFERENCE), is_folded=True),
        Section(
            "Today, and what the work is worth",
            (
                "current_place", "current_cost_per_month", "switching_cost", "value_per_accelerator_hour",
                "second_place_overhead_per_month", "measured_months",
            ),
            is_folded=True,
        ),
    )  # fmt: skip
    anchor_accelerators = NumberField(required=False, unit="accelerators", label="Measured run: size")
    measured_months = RowsField(MEASURED_MONTH, needed=2, required=False, label="Months measured at the present place")
    anchor_step_s = NumberField(required=False, unit="s", label="Measured run: time of a step")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["accelerator_types"].widget.attrs["list"] = "accelerators"
        self.fields["fabrics"] = ListField(
            required=False, label="Accepted fabrics", allowed=column_notes("Quote")["fabric"].choices,
            help_text="Any when empty.",
        )  # fmt: skip
        self.fields["note"].is_full = True

    def _stored(self) -> dict[str, Any]:
        anchor = (getattr(self.instance, "training", None) or {}).get("anchor") or {}
        found = {f"anchor_{name}": estimate_of(anchor.get(name)) for name in ("accelerators", "step_s")}
        measured = (getattr(self.instance, "current", None) or {}).get("measured")
        self.initial = {**found, "measured_months": measured, **self.initial}
        return super()._stored()

    def values(self) -> dict[str, Any]:
        """Return the workload, with the measured run inside its training block."""
        values = super().values()
        size, step = (self.cleaned_data.get(name) for name in ANCHOR)
        if size is not None or step is not None:
            anchor = {"accelerators": int(size or 0), "step_s": float(step or 0)}
            values["training"] = {**(values["training"] or {}), "anchor": anchor}
        if self.cleaned_data.get("measured_months"):
            values["current"] = {**(values["current"] or {}), "measured": self.cleaned_data["measured_months"]}
        for name in ("demand", "training", "inference"):
            values[name] = self._kept(name, values[name])
        return values

    def _kept(self, name: str, typed: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return what was typed with what the form has no field for, so that nothing is lost."""
        shown = {nested.name: set(nested.names) | {"anchor"} for nested in self.nested}[name]
        stored = getattr(self.instance, name, None) or {}
        return {**{key: value for key, value in stored.items() if key not in shown}, **(typed or {})} or None


def preset_initial(kind: str) -> dict[str, Any]:
    """Return first values for a kind of work; nothing for an unknown kind."""
    preset = next((preset for preset in workload_presets() if preset.kind == kind), None)
    if preset is None:
        return {}
    initial: dict[str, Any] = {"kind": preset.kind, "name": preset.name, "code": preset.kind.replace("_", "-")}
    for name, value in preset.values.items():
        if isinstance(value, dict):
            initial |= {f"{name}_{key}": inner for key, inner in value.items()}
        else:
            initial[name] = list(value) if isinstance(value, tuple) else value
    return initial
