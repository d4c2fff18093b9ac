"""HiGHS: solving a portfolio, pricing its constraints, and finding which of them conflict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
from highspy import _core
from scipy.sparse import csc_array

from procurement.engine.periods import Numbers
from procurement.engine.portfolio_draft import LINK, Flags, Problem

OPTIMAL, TIME_LIMIT, INFEASIBLE, FAILED = "optimal", "time_limit", "infeasible", "failed"
STOPPED = "stopped"  # by a person; like ``time_limit`` the best found, or nothing
SOLVER = f"HiGHS {_core._Highs().version()}"
STATUS = highspy.HighsModelStatus
STOPS = (
    STATUS.kTimeLimit, STATUS.kInterrupt, STATUS.kSolutionLimit, STATUS.kIterationLimit, STATUS.kObjectiveTarget,
)  # fmt: skip
LEAST_SECONDS = 1.0
NEAR_NODES = 500  # of the search near the relaxation: a count, so that the clock changes no answer that is optimal
WHOLE = 1e-6  # from a whole number
SMALLEST_COST = 1e-9  # below it a gap is one of amounts
INTERRUPTS = (
    _core.cb.HighsCallbackType.kCallbackSimplexInterrupt,
    _core.cb.HighsCallbackType.kCallbackIpmInterrupt,
    _core.cb.HighsCallbackType.kCallbackMipInterrupt,
)


def never() -> bool:
    """Return that nobody has asked to stop."""
    return False


@dataclass(frozen=True, slots=True)
class Effort:
    """How long a solver may work and when it is good enough."""

    seconds: float
    gap: float = 0.0  # relative
    is_stopped: Callable[[], bool] = never  # asked now and then while it works; it must not raise

    def left(self, spent: float) -> "Effort":
        """Return what is left after some seconds."""
        return replace(self, seconds=max(self.seconds - spent, LEAST_SECONDS))


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """How a solve ended; a stopped one is never optimal."""

    state: str
    values: Numbers | None  # best found
    objective: float | None
    gap: float | None
    seconds: float
    duals: Numbers | None = None  # by row, what one more unit of its bound costs, integers fixed
    message: str = ""  # what the solver said where it failed


def solved(problem: Problem, effort: Effort) -> Outcome:
    """Return the cheapest portfolio found, and the prices of its constraints.

    Parameters
    ----------
    problem
        The programme.
    effort
        Seconds after which the best found is returned as it is, and the relative gap that counts as optimal.
    """
    fault = _number_fault(problem)
    if fault:
        return Outcome(FAILED, None, None, None, 0.0, message=fault)
    found = _searched(problem, effort)
    is_good = found.state == OPTIMAL and found.gap is not None and found.gap <= effort.gap
    if effort.is_stopped() and found.state in (OPTIMAL, TIME_LIMIT) and not is_good:
        return replace(found, state=STOPPED)
    if found.values is None or found.state not in (OPTIMAL, TIME_LIMIT):
        return found
    return _with_prices(problem, found, effort.left(found.seconds))


def _number_fault(problem: Problem) -> str:
    """Return which part of a programme holds something that is no number; the solver would take it for one."""
    parts = {"cost": problem.cost, "matrix": problem.matrix.data, "offset": np.array([problem.offset])}
    bounds = {"column bound": (problem.lower, problem.upper), "row bound": (problem.row_lower, problem.row_upper)}
    faulty = [name for name, values in parts.items() if not np.isfinite(values).all()]
    faulty += [name for name, ends in bounds.items() if any(np.isnan(end).any() for end in ends)]
    return f"no number in: {', '.join(faulty)}" if faulty else ""


def _searched(problem: Problem, effort: Effort) -> Outcome:
    """Return the best found: near the relaxation where that is good enough, else by the whole search.

    The relaxation bounds every portfolio from below. Where integers are at least what it gives them in whole, a much
    smaller programme is left, and its solution is as good as asked for if it comes within the gap of that bound.
    """
    if not problem.is_integer.any() or effort.gap <= 0.0:
        return _outcome(problem, *_run(problem, effort))
    relaxed = _relaxed(problem, effort)
    if relaxed.values is None or relaxed.objective is None:
        return relaxed
    enough = {"objective_target": relaxed.objective + effort.gap * abs(relaxed.objective)}
    near = _near(problem, relaxed.values, effort.left(relaxed.seconds), enough)
    near = _against(near, relaxed.objective, effort.gap)
    spent = relaxed.seconds + near.seconds
    if near.state == OPTIMAL or effort.is_stopped():
        return replace(near, seconds=spent)
    whole = _outcome(problem, *_run(problem, effort.left(spent), near.values, enough))
    return replace(_against(whole, relaxed.objective, effort.gap), seconds=spent + whole.seconds)


def _relaxed(problem: Problem, effort: Effort) -> Outcome:
    free = replace(problem, is_integer=np.zeros_like(problem.is_integer))
    return _outcome(free, *_run(free, replace(effort, gap=0.0)))


def _near(problem: Problem, relaxed: Numbers, effort: Effort, enough: Mapping[str, Any]) -> Outcome:
    """Return the best portfolio found that has all that the relaxation has in whole."""
    floor = np.floor(relaxed + WHOLE)
    part = replace(problem, lower=np.where(problem.is_integer, np.maximum(floor, problem.lower), problem.lower))
    options = {**enough, "mip_max_nodes": NEAR_NODES, "presolve": "off"}  # so much is fixed already
    found = _outcome(part, *_run(part, replace(effort, gap=effort.gap / 2.0), options=options))
    return replace(found, state=TIME_LIMIT, gap=None)  # of a part of the portfolios: neither optimum nor conflict


def _against(found: Outcome, bound: float, gap: float) -> Outcome:
    """Return an outcome with its gap against a bound of all portfolios, where that is the smaller one."""
    if found.objective is None or found.state not in (OPTIMAL, TIME_LIMIT):
        return found
    distance = max((found.objective - bound) / max(abs(found.objective), SMALLEST_COST), 0.0)
    smaller = distance if found.gap is None else min(found.gap, distance)
    return replace(found, gap=smaller, state=OPTIMAL if smaller <= gap else found.state)


def _outcome(problem: Problem, solver: _core._Highs, status: highspy.HighsModelStatus) -> Outcome:
    seconds = float(solver.getRunTime())
    if status in (STATUS.kInfeasible, STATUS.kUnboundedOrInfeasible):
        return Outcome(INFEASIBLE, None, None, None, seconds)
    info = solver.getInfo()
    has_point = info.primal_solution_status == 2  # HiGHS: a feasible point is known
    stopped = status in STOPS
    if status != STATUS.kOptimal and not stopped:
        return Outcome(FAILED, None, None, None, seconds, message=str(solver.modelStatusToString(status)))
    state = OPTIMAL if status == STATUS.kOptimal else TIME_LIMIT
    if not has_point or (stopped and not problem.is_integer.any()):
        message = "" if stopped else "optimal without a solution"
        return Outcome(state if stopped else FAILED, None, None, None, seconds, message=message)
    values = np.array(solver.getSolution().col_value)
    gap = max(float(info.mip_gap), 0.0) if problem.is_integer.any() else 0.0
    return Outcome(state, values, float(info.objective_function_value), gap if np.isfinite(gap) else None, seconds)


def _with_prices(problem: Problem, found: Outcome, effort: Effort) -> Outcome:
    """Return the outcome with integers fixed, everything else at its best, and the dual of every row."""
    assert found.values is not None  # noqa: S101 - the caller has looked
    whole = np.round(found.values)
    fixed = replace(
        problem,
        lower=np.where(problem.is_integer, whole, problem.lower),
        upper=np.where(problem.is_integer, whole, problem.upper),
        is_integer=np.zeros_like(problem.is_integer),
    )
    solver, status = _run(fixed, replace(effort, gap=0.0))
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
    problem: Problem, effort: Effort, start: Numbers | None = None, options: Mapping[str, Any] | None = None
) -> tuple[_core._Highs, highspy.HighsModelStatus]:
    solver = _core._Highs()  # highspy.Highs prints its licence to standard output when it is made
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)  # a worker that was forked has no scheduler to share
    solver.setOptionValue("parallel", "off")
    solver.setOptionValue("time_limit", float(effort.seconds))
    solver.setOptionValue("mip_rel_gap", float(effort.gap))
    for name, value in (options or {}).items():
        solver.setOptionValue(name, value)
    if solver.passModel(_model(problem)) == highspy.HighsStatus.kError:
        return solver, STATUS.kModelError
    if effort.is_stopped is not never:
        _listen(solver, effort.is_stopped)
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = list(start)
        solver.setSolution(known)
    solver.run()
    status = solver.getModelStatus()
    if status == STATUS.kModelEmpty:
        status = STATUS.kOptimal
    return solver, status


def _listen(solver: _core._Highs, is_stopped: Callable[[], bool]) -> None:
    """Let the solver ask now and then whether it is to stop."""

    def answer(_kind: Any, _text: str, _out: Any, into: Any, _ours: Any) -> None:
        if into is not None and is_stopped():
            into.user_interrupt = True

    solver.setCallback(answer, None)
    for kind in INTERRUPTS:
        solver.startCallback(kind)


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


def conflicting(problem: Problem, order: Sequence[int], effort: Effort) -> tuple[list[int], bool]:
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
    effort
        Seconds for all questions together; stopped, what is known by then is returned.

    References
    ----------
    U. Junker, QuickXplain: preferred explanations and relaxations for over-constrained problems, AAAI 2004.
    """
    left = [effort]
    relaxed = replace(problem, is_integer=np.zeros_like(problem.is_integer))
    asked = relaxed if not _is_feasible(relaxed, order, left) else problem

    def holds(groups: Sequence[int]) -> bool:
        return _is_feasible(asked, groups, left)

    found = _explained([], False, list(order), holds)
    return sorted(found), _is_going_on(left[0])


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


def _is_feasible(problem: Problem, groups: Sequence[int], left: list[Effort]) -> bool:
    """Return whether the rows of some groups can hold together; takes what it needs from the seconds left."""
    if not _is_going_on(left[0]):
        return True
    kept = np.flatnonzero(np.isin(problem.row_group, groups) | _links(problem))
    part = replace(
        problem,
        cost=np.zeros_like(problem.cost),
        matrix=csc_array(problem.matrix[kept]),
        row_lower=problem.row_lower[kept],
        row_upper=problem.row_upper[kept],
    )
    solver, status = _run(part, replace(left[0], gap=1.0))
    left[0] = replace(left[0], seconds=left[0].seconds - float(solver.getRunTime()))
    return status not in (STATUS.kInfeasible, STATUS.kUnboundedOrInfeasible)


def _is_going_on(effort: Effort) -> bool:
    return effort.seconds > 0.0 and not effort.is_stopped()


def _links(problem: Problem) -> Flags:
    links = [index for index, group in enumerate(problem.groups) if group[0] == LINK]
    return np.asarray(np.isin(problem.row_group, links))
