"""HiGHS: solving a portfolio, pricing its constraints, and finding which of them conflict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import highspy
import numpy as np
from highspy import _core

from procurement.engine.periods import Numbers
from procurement.engine.portfolio_draft import LINK, Flags, Problem

OPTIMAL, TIME_LIMIT, INFEASIBLE, FAILED = "optimal", "time_limit", "infeasible", "failed"
STATUS = highspy.HighsModelStatus
LEAST_SECONDS = 1.0
FILTER_SECONDS = 20.0  # for one question of the search for a conflict


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """How a solve ended; a stopped one is never optimal."""

    state: str
    values: Numbers | None  # best found
    objective: float | None
    gap: float | None
    seconds: float
    duals: Numbers | None = None  # by row, what one more unit of its bound costs, integers fixed


def solved(problem: Problem, *, time_limit_s: float, gap: float) -> Outcome:
    """Return the cheapest portfolio found, and the prices of its constraints.

    Parameters
    ----------
    problem
        The programme.
    time_limit_s
        Seconds after which the best found is returned as it is [s].
    gap
        Relative gap at which a solution counts as optimal [fraction].
    """
    solver, status = _run(problem, time_limit_s, gap)
    found = _outcome(problem, solver, status)
    if found.values is None or found.state not in (OPTIMAL, TIME_LIMIT):
        return found
    return _with_prices(problem, found, max(time_limit_s - found.seconds, LEAST_SECONDS))


def _outcome(problem: Problem, solver: _core._Highs, status: highspy.HighsModelStatus) -> Outcome:
    seconds = float(solver.getRunTime())
    if status in (STATUS.kInfeasible, STATUS.kUnboundedOrInfeasible):
        return Outcome(INFEASIBLE, None, None, None, seconds)
    info = solver.getInfo()
    has_point = info.primal_solution_status == 2  # HiGHS: a feasible point is known
    stopped = status in (STATUS.kTimeLimit, STATUS.kInterrupt, STATUS.kSolutionLimit, STATUS.kIterationLimit)
    if status != STATUS.kOptimal and not stopped:
        return Outcome(FAILED, None, None, None, seconds)
    state = OPTIMAL if status == STATUS.kOptimal else TIME_LIMIT
    if not has_point or (stopped and not problem.is_integer.any()):
        return Outcome(state if stopped else FAILED, None, None, None, seconds)
    values = np.array(solver.getSolution().col_value)
    gap = max(float(info.mip_gap), 0.0) if problem.is_integer.any() else 0.0
    return Outcome(state, values, float(info.objective_function_value), gap if np.isfinite(gap) else None, seconds)


def _with_prices(problem: Problem, found: Outcome, seconds: float) -> Outcome:
    """Return the outcome with integers fixed, everything else at its best, and the dual of every row."""
    assert found.values is not None  # noqa: S101 - the caller has looked
    whole = np.round(found.values)
    fixed = replace(
        problem,
        lower=np.where(problem.is_integer, whole, problem.lower),
        upper=np.where(problem.is_integer, whole, problem.upper),
        is_integer=np.zeros_like(problem.is_integer),
    )
    solver, status = _run(fixed, seconds, 0.0)
    spent = found.seconds + float(solver.getRunTime())
    if status != STATUS.kOptimal:
        return replace(found, seconds=spent)
    solution = solver.getSolution()
    objective = float(solver.getInfo().objective_function_value)
    return Outcome(
        found.state, np.array(solution.col_value), objective, _gap(found, objective), spent, np.array(solution.row_dual)
    )


def _gap(found: Outcome, objective: float) -> float | None:
    """Return the gap of the polished solution against the bound of the search."""
    if found.gap is None or found.objective is None:
        return found.gap
    bound = found.objective - found.gap * abs(found.objective)
    return max((objective - bound) / abs(objective), 0.0) if objective else found.gap


def _run(problem: Problem, seconds: float, gap: float) -> tuple[_core._Highs, highspy.HighsModelStatus]:
    solver = _core._Highs()  # highspy.Highs prints its licence to standard output when it is made
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)  # a worker that was forked has no scheduler to share
    solver.setOptionValue("parallel", "off")
    solver.setOptionValue("time_limit", float(seconds))
    solver.setOptionValue("mip_rel_gap", float(gap))
    solver.passModel(_model(problem))
    solver.run()
    status = solver.getModelStatus()
    if status == STATUS.kModelEmpty:
        status = STATUS.kOptimal
    return solver, status


def _model(problem: Problem) -> highspy.HighsLp:
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = problem.matrix.shape
    model.col_cost_ = problem.cost
    model.col_lower_, model.col_upper_ = problem.lower, problem.upper
    model.row_lower_, model.row_upper_ = problem.row_lower, problem.row_upper
    model.offset_ = problem.offset
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = problem.matrix.indptr.astype(np.int32)
    model.a_matrix_.index_ = problem.matrix.indices.astype(np.int32)
    model.a_matrix_.value_ = problem.matrix.data
    if problem.is_integer.any():
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[int(one)] for one in problem.is_integer]
    return model


def conflicting(problem: Problem) -> list[int]:
    """Return an irreducible set of groups that cannot all hold: without any one of them the rest can.

    Groups are asked for by halves (QuickXplain), relaxed to fractions first, since most conflicts show there. Rows
    that only tie columns together always hold. An answer that takes too long counts as feasible, so that the set
    never claims less than was proven.

    References
    ----------
    U. Junker, QuickXplain: preferred explanations and relaxations for over-constrained problems, AAAI 2004.
    """
    named = [index for index, group in enumerate(problem.groups) if group[0] != LINK]
    relaxed = replace(problem, is_integer=np.zeros_like(problem.is_integer))
    asked = relaxed if not _is_feasible(relaxed, named) else problem

    def holds(groups: Sequence[int]) -> bool:
        return _is_feasible(asked, groups)

    if holds(named):
        return []
    return sorted(_explained([], False, named, holds))


def _explained(
    background: list[int], has_grown: bool, groups: list[int], holds: Callable[[Sequence[int]], bool]
) -> list[int]:
    if has_grown and not holds(background):
        return []
    if len(groups) == 1:
        return groups
    half = len(groups) // 2
    first, second = groups[:half], groups[half:]
    found = _explained([*background, *first], True, second, holds)
    return [*_explained([*background, *found], bool(found), first, holds), *found]


def _is_feasible(problem: Problem, groups: Sequence[int]) -> bool:
    """Return whether the rows of some groups can hold together."""
    kept = np.isin(problem.row_group, groups) | _links(problem)
    part = replace(
        problem,
        cost=np.zeros_like(problem.cost),
        row_lower=np.where(kept, problem.row_lower, -np.inf),
        row_upper=np.where(kept, problem.row_upper, np.inf),
    )
    _, status = _run(part, FILTER_SECONDS, 1.0)
    return status not in (STATUS.kInfeasible, STATUS.kUnboundedOrInfeasible)


def _links(problem: Problem) -> Flags:
    links = [index for index, group in enumerate(problem.groups) if group[0] == LINK]
    return np.asarray(np.isin(problem.row_group, links))
