"""The filter of a workload that no offer passes on better terms: accelerator type and provider (semantics 38, 40)."""

from collections.abc import Sequence

from providers.reference import accelerator_accepts

__all__ = ["accepts_accelerator", "allows_provider"]


def accepts_accelerator(wanted: Sequence[str], offered: str | None) -> bool:
    """Return whether a workload that names these types can use the offered one.

    An offer that names no accelerator is not a wrong one: the missing name is a reason of its own.
    """
    return not wanted or offered is None or any(accelerator_accepts(one, offered) for one in wanted)


def allows_provider(allowed: Sequence[str], provider: str | None) -> bool:
    """Return whether a workload that names these providers may buy from this one; an unnamed one is not a wrong one."""
    return not allowed or provider is None or provider.casefold() in {name.casefold() for name in allowed}
