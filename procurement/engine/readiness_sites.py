"""Readiness of all builds of a scenario: what stands in a site's pool is shared among its builds, never twice."""

from collections.abc import Mapping
from dataclasses import dataclass

from procurement.engine.readiness import Readiness, build_readiness
from procurement.engine.readiness_gates import PartState, part_state
from procurement.engine.readiness_records import FRONTEND, RDMA, SITE_PREFIX, Records, records_of, site_pools_of
from procurement.engine.readiness_statements import whole_nodes
from procurement.engine.readiness_totals import PartKey, Scope, SiteShares, scope_of
from procurement.engine.tables import Build, Scenario

UNLIMITED = 2**53  # accelerators; a pool is shared before anything is capped at what one build plans
_ROUNDING = 1e-9  # share of a pool


@dataclass(frozen=True, slots=True)
class _Member:
    """A build that draws on a site pool, and what it could use if the pool had no end [accelerators]."""

    build: Build
    records: Records
    scope: Scope
    wanted: int


def scenario_readiness(scenario: Scenario) -> dict[str, Readiness]:
    """Return the readiness of every build by id.

    Notes
    -----
    A site pool is shared in proportion to what each build could use without it, in whole nodes; what is left over
    goes to the largest remainders, so that no kilowatt is promised twice.
    """
    shares = site_shares(scenario)
    return {
        build.id: build_readiness(
            build,
            as_of=scenario.as_of,
            assumptions=scenario.assumptions,
            site_builds=scenario.builds,
            shares=shares.get(build.id),
        )
        for build in scenario.builds
    }


def site_shares(scenario: Scenario) -> dict[str, SiteShares]:
    """Return what each build gets of each pool that several builds share, by build and gate [accelerators]."""
    pools: dict[str, list[Build]] = {}
    for build in scenario.builds:
        for pool in site_pools_of(build):
            pools.setdefault(pool, []).append(build)
    shares: dict[str, dict[tuple[str, str | None, str], int]] = {}
    for pool, builds in sorted(pools.items()):
        if len(builds) > 1:
            members = [_member(build, scenario) for build in builds]
            for key in dict.fromkeys(key for member in members for key in _pooled(member, pool)):
                for name, share in _shared(members, key, pool).items():
                    shares.setdefault(name, {})[(*key, pool)] = share
    return dict(shares)


def _member(build: Build, scenario: Scenario) -> _Member:
    records = records_of(build, scenario.as_of, scenario.assumptions, scenario.builds)
    scope = scope_of(records, RDMA if build.design_class == "multi_node" else FRONTEND)
    is_cancelled = build.cancelled_on is not None and build.cancelled_on <= scenario.as_of
    return _Member(build, records, scope, 0 if is_cancelled else scope.usable(_without_site_pools))


def _without_site_pools(state: PartState) -> int:
    return UNLIMITED if state.target.startswith(SITE_PREFIX) and state.has_evidence else state.accelerators


def _pooled(member: _Member, pool: str) -> list[PartKey]:
    """Return the gates for which a pool has evidence that counts today."""
    return [
        key
        for key, states in member.scope.caps.items()
        if any(state.target == pool and state.has_evidence and state.accelerators > 0 for state in states)
    ]


def _shared(members: list[_Member], key: PartKey, pool: str) -> Mapping[str, int]:
    """Return each build's share of a pool [accelerators].

    The pool is measured for each build in its own nodes, since a kilowatt feeds more of one kind than of another.
    """
    gate, part = key
    whole = {one.build.id: part_state(one.records, gate, pool, part, UNLIMITED).accelerators for one in members}
    used = {one.build.id: one.wanted / whole[one.build.id] if whole[one.build.id] else 0.0 for one in members}
    total = sum(used.values())
    if total <= 1 + _ROUNDING:
        return {
            one.build.id: whole_nodes(
                whole[one.build.id] * max(0.0, 1 - total + used[one.build.id]), one.build.accelerators_per_node
            )
            for one in members
        }
    share = {one.build.id: whole_nodes(one.wanted / total, one.build.accelerators_per_node) for one in members}
    left = 1 - sum(share[name] / whole[name] for name in share if whole[name])
    by_remainder = sorted(members, key=lambda one: (share[one.build.id] - one.wanted / total, one.build.id))
    for one in by_remainder:
        node = one.build.accelerators_per_node
        name = one.build.id
        if whole[name] and share[name] < one.wanted and node / whole[name] <= left + _ROUNDING:
            share[name] += node
            left -= node / whole[name]
    return share
