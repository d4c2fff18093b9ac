"""A quote that names the cluster which serves it runs on that cluster's network and storage (semantics 12)."""

from dataclasses import replace

from procurement.engine.tables import Build, Quote, Scenario

TAKEN = (
    "fabric", "network_gbps_per_accelerator", "measured_allreduce_gbps", "toll_multiplier", "measured_runs",
    "failures_per_1000_node_days", "restart_minutes", "storage_read_gb_s", "storage_write_gb_s",
)  # fmt: skip


def with_cluster_figures(scenario: Scenario) -> Scenario:
    """Return the scenario with what quotes leave out about network, failures and storage taken from their clusters."""
    if not any(quote.cluster for quote in scenario.quotes):
        return scenario
    builds = {build.id: build for build in scenario.builds}
    quotes = tuple(completed(quote, builds.get(quote.cluster or "")) for quote in scenario.quotes)
    return replace(scenario, quotes=quotes)


def completed(quote: Quote, cluster: Build | None) -> Quote:
    """Return a quote with the figures of its cluster where it states none itself."""
    if cluster is None:
        return quote
    missing = [name for name in TAKEN if getattr(quote, name) in (None, ())]
    found = {name: getattr(cluster, name) for name in missing}
    return replace(quote, **{name: value for name, value in found.items() if value not in (None, ())})
