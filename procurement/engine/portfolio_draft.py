"""A mixed-integer programme in the making: columns, named rows and entries as arrays, laid down in blocks."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from procurement.engine.periods import Numbers
from procurement.engine.portfolio_demand import Indices

Group = tuple[str, str]  # kind of constraint and what it is about
Flags = NDArray[np.bool_]
NO_MONTH = -1
LINK = "link"  # rows that only tie columns to one another


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Minimise cost x + offset subject to lower <= matrix x <= upper, the matrix in sparse column form."""

    cost: Numbers
    lower: Numbers
    upper: Numbers
    is_integer: Flags
    matrix: csc_array
    row_lower: Numbers
    row_upper: Numbers
    row_group: Indices
    row_month: Indices
    groups: tuple[Group, ...]
    offset: float


@dataclass(slots=True, eq=False)
class Draft:
    """Blocks of columns, rows and entries; every method returns the indices it has given out."""

    costs: list[Numbers] = field(default_factory=list)
    bounds: list[tuple[Numbers, Numbers]] = field(default_factory=list)
    integers: list[Flags] = field(default_factory=list)
    row_bounds: list[tuple[Numbers, Numbers]] = field(default_factory=list)
    row_groups: list[Indices] = field(default_factory=list)
    row_months: list[Indices] = field(default_factory=list)
    entries: list[tuple[Indices, Indices, Numbers]] = field(default_factory=list)
    groups: dict[Group, int] = field(default_factory=dict)
    offset: float = 0.0
    columns_laid: int = 0
    rows_laid: int = 0

    def columns(self, cost: Numbers, upper: Numbers | float = 1.0, *, integer: bool = False) -> Indices:
        """Lay columns from 0 to ``upper``."""
        size = cost.size
        self.costs.append(np.asarray(cost, dtype=np.float64))
        self.bounds.append((np.zeros(size), np.broadcast_to(np.asarray(upper, dtype=np.float64), (size,))))
        self.integers.append(np.full(size, integer))
        self.columns_laid += size
        return np.arange(self.columns_laid - size, self.columns_laid, dtype=np.int64)

    def rows(
        self, lower: Numbers | float, upper: Numbers | float, group: Group | list[Group], months: Indices
    ) -> Indices:
        """Lay one row for each of ``months``, all of one group or each of its own."""
        size = months.size
        low, high = (np.broadcast_to(np.asarray(one, dtype=np.float64), (size,)) for one in (lower, upper))
        self.row_bounds.append((low, high))
        names = [group] * size if isinstance(group, tuple) else group
        self.row_groups.append(np.array([self._group(name) for name in names], dtype=np.int64))
        self.row_months.append(months)
        self.rows_laid += size
        return np.arange(self.rows_laid - size, self.rows_laid, dtype=np.int64)

    def row(self, lower: float, upper: float, group: Group, month: int = NO_MONTH) -> int:
        """Lay one row."""
        return int(self.rows(lower, upper, group, np.array([month], dtype=np.int64))[0])

    def put(self, rows: Indices | int, columns: Indices, values: Numbers | float) -> None:
        """Put entries into the matrix; those of one place add up."""
        shape = columns.shape
        self.entries.append(
            (
                np.broadcast_to(np.asarray(rows, dtype=np.int64), shape),
                columns,
                np.broadcast_to(np.asarray(values, dtype=np.float64), shape),
            )
        )

    def _group(self, name: Group) -> int:
        return self.groups.setdefault(name, len(self.groups))

    def problem(self) -> Problem:
        """Return the whole programme, entries of one place summed."""
        rows, columns, values = (
            np.concatenate([entry[part] for entry in self.entries]) if self.entries else np.zeros(0)
            for part in range(3)
        )
        shape = (self.rows_laid, self.columns_laid)
        matrix = csc_array(coo_array((values, (rows.astype(np.int64), columns.astype(np.int64))), shape=shape))
        return Problem(
            cost=_joined(self.costs),
            lower=_joined([low for low, _ in self.bounds]),
            upper=_joined([high for _, high in self.bounds]),
            is_integer=_joined(self.integers).astype(np.bool_),
            matrix=matrix,
            row_lower=_joined([low for low, _ in self.row_bounds]),
            row_upper=_joined([high for _, high in self.row_bounds]),
            row_group=_joined(self.row_groups).astype(np.int64),
            row_month=_joined(self.row_months).astype(np.int64),
            groups=tuple(self.groups),
            offset=self.offset,
        )


def _joined(parts: list[NDArray[np.generic]] | list[Numbers] | list[Flags] | list[Indices]) -> Numbers:
    return np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)
