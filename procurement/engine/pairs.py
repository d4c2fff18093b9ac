"""What is said of every workload with every quote, kept small: quotes that a rule cannot tell apart share a column."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]
Counts = NDArray[np.int64]
CHUNK = 255  # flags that are added in one byte


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """Quotes sorted into kinds that a rule cannot tell apart."""

    of: Indices  # kind of each quote, shape (quotes,)
    sample: Indices  # one quote of each kind, shape (kinds,)

    def times(self, *columns: NDArray[Any]) -> "Kinds":
        """Return the kinds that are alike in further columns too, each of shape (quotes,)."""
        return kinds_of(self.of, *columns)


def kinds_of(*columns: NDArray[Any]) -> Kinds:
    """Return the kinds of quotes that have the same entries in some columns, each of shape (quotes,)."""
    known = columns[0].astype(np.int64) if columns[0].dtype.kind in "bi" else _codes(columns[0])
    for column in columns[1:]:
        codes = _codes(column)
        known = known * (codes.max(initial=0) + 1) + codes
    _, sample, of = np.unique(known, return_index=True, return_inverse=True)
    return Kinds(of.reshape(-1), sample)


def _codes(column: NDArray[Any]) -> Counts:
    """Return a number for each distinct entry; entries that are unknown (NaN) are alike."""
    return np.asarray(np.unique(column, return_inverse=True)[1].reshape(-1), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """A number or flag for every workload and quote, asked once for each kind of quote."""

    values: NDArray[Any]  # shape (workloads, kinds)
    kinds: Kinds

    def at(self, row: int, column: int) -> Any:
        """Return the value of one workload at one quote."""
        return self.values[row, self.kinds.of[column]]

    def of_workload(self, row: int) -> NDArray[Any]:
        """Return the values of one workload, shape (quotes,)."""
        return np.asarray(self.values[row][self.kinds.of])

    def matrix(self) -> NDArray[Any]:
        """Return all values, shape (workloads, quotes)."""
        return np.asarray(self.values[:, self.kinds.of])

    def counts(self) -> Counts:
        """Return at how many quotes each workload has the flag, shape (workloads,)."""
        members = np.bincount(self.kinds.of, minlength=self.kinds.sample.size)
        return np.asarray(self.values.astype(np.float32) @ members.astype(np.float32), dtype=np.int64)

    def bits(self) -> "Bits":
        """Return the flags of all pairs."""
        packed = np.ascontiguousarray(np.packbits(self.values, axis=0).T)
        return Bits(packed[self.kinds.of], self.values.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class Bits:
    """A flag for every workload and quote, eight workloads to a byte."""

    bytes: NDArray[np.uint8]  # shape (quotes, workloads / 8)
    workloads: int

    def __or__(self, other: "Bits") -> "Bits":
        return Bits(self.bytes | other.bytes, self.workloads)

    def __and__(self, other: "Bits") -> "Bits":
        return Bits(self.bytes & other.bytes, self.workloads)

    def without(self, other: "Bits") -> "Bits":
        """Return the flags that are not set in another."""
        return Bits(self.bytes & ~other.bytes, self.workloads)

    def at(self, row: int, column: int) -> bool:
        """Return the flag of one workload at one quote."""
        return bool(self.bytes[column, row // 8] >> (7 - row % 8) & 1)

    def of_workload(self, row: int) -> Flags:
        """Return the flags of one workload, shape (quotes,)."""
        return np.asarray(self.bytes[:, row // 8] >> (7 - row % 8) & 1, dtype=np.bool_)

    def by_quote(self) -> Flags:
        """Return all flags, shape (quotes, workloads)."""
        return np.unpackbits(self.bytes, axis=1, count=self.workloads).view(np.bool_)

    def matrix(self) -> Flags:
        """Return all flags, shape (workloads, quotes)."""
        return self.by_quote().T

    def counts(self) -> Counts:
        """Return at how many quotes each workload has the flag, shape (workloads,)."""
        flags = self.by_quote().view(np.uint8)
        total = np.zeros(self.workloads, dtype=np.int64)
        for first in range(0, flags.shape[0], CHUNK):
            total += np.add.reduce(flags[first : first + CHUNK], axis=0, dtype=np.uint8)
        return total


def any_of(flags: Iterable[Pairs], quotes: int, workloads: int) -> Bits:
    """Return where at least one of some flags is set."""
    found = np.zeros((quotes, -(-workloads // 8)), dtype=np.uint8)
    for one in flags:
        found |= one.bits().bytes
    return Bits(found, workloads)


def of_quotes(flags: Flags, workloads: int) -> Pairs:
    """Return flags of quotes, the same for every workload."""
    values = np.broadcast_to(np.array([False, True]), (workloads, 2))
    return Pairs(values, Kinds(flags.astype(np.intp), np.zeros(2, dtype=np.intp)))
