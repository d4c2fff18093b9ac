"""The figures behind a bare code: what was offered and what was needed, from the frozen inputs of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from reports.places import Places, option_parts
from reports.reasons import reason_code


@dataclass(frozen=True, slots=True)
class ReasonFacts:
    """What one workload needs, beside what each place of the run offers."""

    workload: Mapping[str, Any]
    places: Places
    ready_on: Mapping[str, date | None]  # build -> day it is ready at the P80 date

    def of_quote(self, code: str, reasons: Sequence[Any]) -> list[dict[str, Any]]:
        """Return reasons against a quote with what it offers and what is needed."""
        quote = self.places.quotes.get(code, {})
        offered = {
            "wrong_accelerator": quote.get("accelerator"),
            "quantity_too_small": quote.get("quantity_available"),
            "one_domain_too_small": quote.get("largest_domain_accelerators"),
            "interconnect_too_weak": quote.get("interconnect"),
            "fabric_not_accepted": quote.get("fabric"),
            "duration_over_max": quote.get("max_days"),
        }
        shared = {key: quote.get(key) for key in ("earliest_start", "available_to", "valid_until", "region")}
        shared["quota"] = quote.get("quota_accelerators")
        return [self._with(reason, offered, shared) for reason in reasons]

    def of_option(self, option: str, reasons: Sequence[Any]) -> list[dict[str, Any]]:
        """Return reasons against an option with the figures of its quote and its build."""
        parts = option_parts(option)
        if parts.build:
            build = self.places.builds.get(parts.build, {})
            planned = sum(int(tranche.get("planned_accelerators", 0)) for tranche in build.get("tranches", ()))
            offered = {
                "wrong_accelerator": build.get("accelerator"),
                "quantity_too_small": planned or None,
                "interconnect_too_weak": build.get("design_class"),
                "fabric_not_accepted": build.get("fabric"),
            }
            return [self._with(reason, offered, {"ready_on": self._late(parts.build)}) for reason in reasons]
        return self.of_quote(parts.quote, reasons)

    def _late(self, build: str) -> date | None:
        """Return when all of a build is ready at the risk level, where that is after the need."""
        ready_on = self.ready_on.get(build)
        need_by = date.fromisoformat(str(self.workload.get("need_by") or self.workload["start"]))
        return ready_on if ready_on is not None and ready_on > need_by else None

    def _with(self, reason: Any, offered: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
        code, stated = reason_code(reason)
        needs_scale = code == "interconnect_too_weak"
        figures = {
            **shared,
            "offered": offered.get(code),
            "needed": self.workload.get("interconnect") if needs_scale else self.workload.get("accelerators"),
            "wanted": self.workload.get("fabrics" if code == "fabric_not_accepted" else "accelerator_types") or None,
            "allowed": self.workload.get("residency") or None,
            "need_by": self.workload.get("need_by") or self.workload.get("start"),
            **stated,
        }
        if code == "duration_over_max":
            figures["needed"] = self.workload.get("days")
        return {"code": code, **{key: value for key, value in figures.items() if value is not None}}
