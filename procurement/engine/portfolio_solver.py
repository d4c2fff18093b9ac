"""HiGHS: solving a portfolio, pricing its constraints, and finding which of them conflict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import highspy
import numpy as np
from highspy import _core
from scipy.sparse import csc_array

from procurement.engine.periods import Numbers
from procurement.engine.portfolio_draft import LINK, Flags, Problem

OPTIMAL, TIME_LIMIT, INFEASIBLE, FAILED = "optimal", "time_limit", "infeasible", "failed"
STATUS = highspy.HighsModelStatus
LEAST_SECONDS = 1.0
NEAR_SHARE = 0.4  # of the time left, for portfolios near the relaxation
WHOLE = 1e-6  # from a whole number


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
    found = _searched(problem, time_limit_s, gap)
    if found.values is None or found.state not in (OPTIMAL, TIME_LIMIT):
        return found
    return _with_prices(problem, found, max(time_limit_s - found.seconds, LEAST_SECONDS))


def _searched(problem: Problem, time_limit_s: float, gap: float) -> Outcome:
    """Return the best found: near the relaxation where that is good enough, else by the whole search.

    The relaxation bounds every portfolio from below. Where integers are at least what it gives them in whole, a much
    smaller programme is left, and its solution is as good as asked for if it comes within the gap of that bound.
    """
    seconds, start = 0.0, None
    if problem.is_integer.any() and gap > 0.0:
        relaxed = _relaxed(problem, time_limit_s)
        if relaxed.state == INFEASIBLE:
            return relaxed
        near = None if relaxed.values is None else _near(problem, relaxed, time_limit_s, gap)
        seconds = relaxed.seconds if near is None else near.seconds
        if near is not None and near.gap is not None and near.gap <= gap:
            return near
        start = None if near is None else near.values
    solver, status = _run(problem, max(time_limit_s - seconds, LEAST_SECONDS), gap, start)
    found = _outcome(problem, solver, status)
    return replace(found, seconds=found.seconds + seconds)


def _relaxed(problem: Problem, seconds: float) -> Outcome:
    free = replace(problem, is_integer=np.zeros_like(problem.is_integer))
    return _outcome(free, *_run(free, seconds, 0.0))


def _near(problem: Problem, relaxed: Outcome, time_limit_s: float, gap: float) -> Outcome | None:
    """Return the best portfolio that has all that the relaxation has in whole, with its gap to the relaxation."""
    assert relaxed.values is not None and relaxed.objective is not None  # noqa: S101, PT018 - the caller has looked
    floor = np.floor(relaxed.values + WHOLE)
    part = replace(problem, lower=np.where(problem.is_integer, np.maximum(floor, problem.lower), problem.lower))
    left = max(time_limit_s - relaxed.seconds, LEAST_SECONDS) * NEAR_SHARE
    found = _outcome(part, *_run(part, left, gap / 2.0))
    seconds = found.seconds + relaxed.seconds
    if found.values is None or found.objective is None:
        return Outcome(found.state, None, None, None, seconds)
    distance = max((found.objective - relaxed.objective) / max(abs(found.objective), 1e-9), 0.0)
    return Outcome(OPTIMAL, found.values, found.objective, distance, seconds)


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


def _run(
    problem: Problem, seconds: float, gap: float, start: Numbers | None = None
) -> tuple[_core._Highs, highspy.HighsModelStatus]:
    solver = _core._Highs()  # highspy.Highs prints its licence to standard output when it is made
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)  # a worker that was forked has no scheduler to share
    solver.setOptionValue("parallel", "off")
    solver.setOptionValue("time_limit", float(seconds))
    solver.setOptionValue("mip_rel_gap", float(gap))
    solver.passModel(_model(problem))
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = list(start)
        solver.setSolution(known)
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


def conflicting(problem: Problem, order: Sequence[int], seconds: float) -> tuple[list[int], bool]:
    """Return a set of groups that cannot all hold, and whether it is irreducible: without any one the rest can.

    Groups are asked for by halves (QuickXplain), relaxed to fractions first, since most conflicts show there. Rows
    that only tie columns together always hold. A question that gets no answer in time counts as feasible, so the set
    always conflicts, but may then hold more than it must.

    Parameters
    ----------
    problem
        A programme without solution.
    order
        The named groups; those that come first are the ones an explanation should rather speak of.
    seconds
        For all questions together [s].

    References
    ----------
    U. Junker, QuickXplain: preferred explanations and relaxations for over-constrained problems, AAAI 2004.
    """
    left = [seconds]
    relaxed = replace(problem, is_integer=np.zeros_like(problem.is_integer))
    asked = relaxed if not _is_feasible(relaxed, order, left) else problem

    def holds(groups: Sequence[int]) -> bool:
        return _is_feasible(asked, groups, left)

    found = _explained([], False, list(order), holds)
    return sorted(found), left[0] > 0.0


def _explained(
    background: list[int], has_grown: bool, groups: list[int], holds: Callable[[Sequence[int]], bool]
) -> list[int]:
    if has_grown and not holds(background):
        return []
    if len(groups) <= 1:
        return groups
    half = len(groups) // 2
    first, second = groups[:half], groups[half:]
    found = _explained([*background, *first], True, second, holds)
    return [*_explained([*background, *found], bool(found), first, holds), *found]


def _is_feasible(problem: Problem, groups: Sequence[int], left: list[float]) -> bool:
    """Return whether the rows of some groups can hold together; takes what it needs from the seconds left."""
    if left[0] <= 0.0:
        return True
    kept = np.flatnonzero(np.isin(problem.row_group, groups) | _links(problem))
    part = replace(
        problem,
        cost=np.zeros_like(problem.cost),
        matrix=csc_array(problem.matrix[kept]),
        row_lower=problem.row_lower[kept],
        row_upper=problem.row_upper[kept],
    )
    solver, status = _run(part, left[0], 1.0)
    left[0] -= float(solver.getRunTime())
    return status not in (STATUS.kInfeasible, STATUS.kUnboundedOrInfeasible)


def _links(problem: Problem) -> Flags:
    links = [index for index, group in enumerate(problem.groups) if group[0] == LINK]
    return np.asarray(np.isin(problem.row_group, links))
