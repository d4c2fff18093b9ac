"""A commented scenario document that shows every part once; it can be evaluated as it stands."""

from typing import Any

from procurement.engine.scenario_text import read_document

EXAMPLE = """\
// A scenario document: one question, complete with its day, its assumptions and all records it is about.
// Whole lines that begin with // are comments. Numbers may be text. Every number that a person estimates
// may be {"min": ..., "likely": ..., "max": ...} instead. What is not known is left out, never 0.
{
 "schema": "scenario/1",
 // Nothing that was observed, recorded or promised after this day is known.
 "as_of": "2026-11-30",
 "assumptions": {
  "currency": "USD",
  "horizon_months": 36,
  "hours_per_month": 730,
  // Effective, nominal, per year. It has no default: without it there is no present value.
  "discount_rate": "0.08",
  "discount_timing": "as_ledger",
  "price_change_per_year": {"cloud": {"min": -0.2, "likely": -0.1, "max": 0}, "power": 0.02},
  "risk_quantile": 0.8,
  "fx": [{"base": "EUR", "counter": "USD", "rate": "1.08", "on": "2026-11-27", "source": "example rate"}],
  // Own age limit of a gate, over the default of 90 days.
  "evidence_days": {"powered": 120},
  "forecast_dates": ["2027-06-30", "2027-12-31"]
 },
 "quotes": [
  {
   "id": "reserved-h100",
   "provider": "Example Cloud",
   "accelerator": "H100 SXM 80GB",
   "accelerators_per_node": 8,
   "accelerators_per_instance": 8,
   "price": "2.40",
   "price_basis": "per_accelerator_hour",
   "currency": "USD",
   "purchase_model": "reserved",
   "term_months": 12,
   "includes": ["compute", "support"],
   "interconnect": "multi_node",
   "fabric": "infiniband",
   "network_gbps_per_accelerator": 400,
   "region": "eu-central-1",
   "quantity_available": 512,
   "largest_domain_accelerators": 512,
   "min_accelerators": 64,
   "quoted_on": "2026-11-20",
   "valid_until": "2027-01-31",
   "earliest_start": "2026-12-15",
   "lead_time_days": 14,
   "capacity_class": "reservation_offer",
   "egress_per_gb": "0.02",
   "storage_per_gb_month": "0.07",
   // The build record of this provider that will serve the quote: the readiness rules decide for it.
   "cluster": "example-cloud-hall-2"
  },
  {
   "id": "on-demand-h100",
   "provider": "Other Cloud",
   "accelerator": "H100 SXM 80GB",
   "accelerators_per_node": 8,
   "accelerators_per_instance": 8,
   "price": "31.92",
   "price_basis": "per_instance_hour",
   "currency": "EUR",
   "purchase_model": "on_demand",
   "interconnect": "single_node",
   "quoted_on": "2026-11-25",
   "capacity_class": "on_demand",
   "storage_per_gb_month": "0.08",
   "egress_per_gb": "0.05"
  }
 ],
 "builds": [
  {
   "id": "hall-1",
   "operator": "own",
   "site": "campus-north",
   "accelerator": "H100 SXM 80GB",
   "accelerators_per_node": 8,
   "it_kw_per_node": 12.4,
   "cooling_kw_per_node": {"air": 12.4},
   "rdma_ports_per_node": 8,
   "design_class": "multi_node",
   "fabric": "infiniband",
   "network_gbps_per_accelerator": 400,
   "committed": false,
   // Planned days from the last gate to the first job; scheduled and accessible then need no promise.
   "bringup_days": 21,
   "tranches": [{"id": "T1", "planned_accelerators": 256, "fabric_domain": "spine-1"}],
   // Append-only: what was true, on which day, how well it is proven (A own test to E plan).
   "evidence": [
    {"gate": "ordered", "qty": 256, "grade": "C", "observed_on": "2026-09-15", "source": "purchase order"},
    {"gate": "networked", "qty": 256, "unit": "rdma_ports", "scope": "rdma", "grade": "B", "observed_on": "2026-11-10"},
    {"gate": "service_agreement", "qty": 800, "unit": "kw", "grade": "C", "observed_on": "2026-06-30"}
   ],
   // Append-only as well: who promised which day, and when. A changed promise is a second entry.
   "promises": [
    {"gate": "installed", "date": "2027-02-15", "stated_on": "2026-09-15", "stated_by": "supplier"},
    {"gate": "powered", "date": "2027-03-31", "stated_on": "2026-07-01", "class": "construction_power"},
    {"gate": "cooled", "medium": "air", "date": "2027-03-15", "stated_on": "2026-07-01"}
   ],
   "costs": [
    {"component": "hardware", "amount": {"min": 7000000, "likely": 7600000, "max": 8400000}, "currency": "USD",
     "basis": "once", "life_months": 60, "residual_fraction": 0.1, "covers": ["network", "storage", "installation"]},
    {"component": "power", "currency": "USD", "basis": "per_month", "it_kw": 396.8, "pue": 1.3, "price_per_kwh": "0.11",
     "idle_fraction": 0.3},
    {"component": "colocation", "amount": "150", "currency": "USD", "basis": "per_kw_month", "kw": 400},
    {"component": "maintenance", "amount": "0.05", "currency": "USD", "basis": "fraction_of_hardware_per_year"},
    {"component": "staff", "fte": 2, "amount": "140000", "currency": "USD", "basis": "per_year"}
   ],
   "waived": [{"component": "space", "reason": "part of colocation"}]
  },
  {
   "id": "example-cloud-hall-2",
   "operator": "Example Cloud",
   "accelerator": "H100 SXM 80GB",
   "accelerators_per_node": 8,
   "it_kw_per_node": 12.4,
   "cooling_kw_per_node": {"air": 12.4},
   "rdma_ports_per_node": 8,
   "tranches": [{"id": "T1", "planned_accelerators": 512}],
   "evidence": [
    {"gate": "installed", "qty": 512, "grade": "C", "observed_on": "2026-10-01"},
    {"gate": "powered", "qty": 800, "unit": "kw_it", "grade": "B", "observed_on": "2026-10-05",
     "power_basis": "utility_firm"},
    {"gate": "cooled", "qty": 800, "unit": "kw", "medium": "air", "grade": "B", "observed_on": "2026-10-06"},
    {"gate": "networked", "qty": 512, "scope": "rdma", "grade": "C", "observed_on": "2026-10-12"},
    {"gate": "scheduled", "qty": 512, "grade": "A", "observed_on": "2026-11-28"},
    {"gate": "accessible", "qty": 512, "grade": "C", "observed_on": "2026-11-15"}
   ]
  }
 ],
 "workloads": [
  {
   "id": "pretraining",
   "kind": "llm_training",
   "shape": "one_job",
   "accelerators": 128,
   "accelerator_types": ["H100 SXM"],
   "interconnect": "multi_node",
   "fabrics": ["infiniband", "roce"],
   "start": "2027-01-15",
   "need_by": "2027-02-01",
   // One of days, months, end; the horizon when none is given.
   "months": 24,
   "demand": {"utilisation": 0.85},
   "training": {"params_b": 70, "tokens_per_step": 4000000, "mfu_node": 0.4},
   "feed_gb_s_per_accelerator": 0.05,
   "storage_gb": 50000,
   "interruptible": false
  },
  {
   "id": "experiments",
   "kind": "experimentation",
   "shape": "independent_jobs",
   "accelerators": 8,
   "accelerator_types": ["H100"],
   "interconnect": "single_node",
   "start": "2026-12-15",
   "months": 12,
   "demand": {"hours_per_month": 160},
   "deadline_policy": "none"
  }
 ],
 "policy": {
  "max_share_per_supplier": 0.8,
  "approval_days": [{"up_to": 100000, "days": 5}, {"up_to": 5000000, "days": 30}, {"days": 60}]
 }
}
"""


def example_text() -> str:
    """Return the example with its comments, as JSON with `//` lines."""
    return EXAMPLE


def example_document() -> dict[str, Any]:
    """Return the example as a document."""
    return read_document(EXAMPLE)
