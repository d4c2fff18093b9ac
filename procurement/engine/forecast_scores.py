"""How well stored forecasts fit what happened: shares at or before P50, P80, P90 (METHOD.md, Looking back)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from scipy.special import betaincinv

USABLE = "usable"  # beside the six gates: all of a build can be used
LEVELS = (0.5, 0.8, 0.9)  # the shares that P50, P80 and P90 promise
HORIZONS = ((30, "up to 30 days"), (90, "31 to 90 days"), (180, "91 to 180 days"), (None, "over 180 days"))
EVERY_HORIZON = "all"
FEW_OUTCOMES = 20  # gates; below it the interval is so wide that hardly anything is refuted


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredForecast:
    """One forecast of one gate of one build on one day, with what happened since."""

    operator: str
    build: str
    gate: str
    as_of: date
    quantile_days: Mapping[float, date | None]
    reached_on: date | None = None

    @property
    def horizon(self) -> str:
        """How far ahead its P50 lay; empty without one."""
        due = self.quantile_days.get(0.5)
        if due is None:
            return ""
        ahead = (due - self.as_of).days
        return next(words for limit, words in HORIZONS if limit is None or ahead <= limit)

    def is_hit(self, level: float, today: date) -> bool | None:
        """Return whether the gate was reached at or before a quantile; None while that is open or not stated."""
        due = self.quantile_days.get(level)
        if due is None:
            return None
        if self.reached_on is not None:
            return self.reached_on <= due
        return False if today > due else None


@dataclass(frozen=True, slots=True)
class LevelScore:
    """One quantile: how many forecasts and gates have an answer, the share that held, and its 95 % interval."""

    level: float
    forecasts: int
    outcomes: int
    share: float | None
    low: float | None
    high: float | None

    @property
    def verdict(self) -> str:
        """Whether the share refutes the quantile: no_outcome, later, earlier or fits."""
        if self.share is None or self.low is None or self.high is None:
            return "no_outcome"
        if self.high < self.level:
            return "later"
        return "earlier" if self.low > self.level else "fits"

    @property
    def is_few(self) -> bool:
        """Whether the gates are too few to tell much."""
        return self.outcomes < FEW_OUTCOMES


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackRecord:
    """The score of one operator, gate and horizon."""

    operator: str
    gate: str
    horizon: str
    forecasts: int
    open_forecasts: int
    levels: tuple[LevelScore, ...] = field(default=())


def track_records(forecasts: Iterable[StoredForecast], today: date) -> list[TrackRecord]:
    """Return the track record by operator, gate and horizon, each gate with its total over all horizons first."""
    groups: dict[tuple[str, str, str], list[StoredForecast]] = defaultdict(list)
    for one in forecasts:
        groups[(one.operator, one.gate, EVERY_HORIZON)].append(one)
        if one.horizon:
            groups[(one.operator, one.gate, one.horizon)].append(one)
    order = [EVERY_HORIZON, *(words for _, words in HORIZONS)]
    keys = sorted(groups, key=lambda key: (key[0], key[1], order.index(key[2])))
    return [
        TrackRecord(
            operator=operator,
            gate=gate,
            horizon=horizon,
            forecasts=len(groups[operator, gate, horizon]),
            open_forecasts=sum(one.reached_on is None for one in groups[operator, gate, horizon]),
            levels=tuple(level_score(groups[operator, gate, horizon], level, today) for level in LEVELS),
        )
        for operator, gate, horizon in keys
    ]


def level_score(forecasts: Sequence[StoredForecast], level: float, today: date) -> LevelScore:
    """Return the share of forecasts that held at one quantile, every gate counting once.

    A gate that was forecast on two hundred days is one outcome: its forecasts share its weight, and the interval is
    that of so many gates, not of so many forecasts.
    """
    by_gate: dict[tuple[str, date | None], list[bool]] = defaultdict(list)
    for one in forecasts:
        hit = one.is_hit(level, today)
        if hit is not None:
            by_gate[(one.build, one.reached_on)].append(hit)
    outcomes = len(by_gate)
    if not outcomes:
        return LevelScore(level, 0, 0, None, None, None)
    share = sum(sum(hits) / len(hits) for hits in by_gate.values()) / outcomes
    low, high = exact_interval(share, outcomes)
    return LevelScore(level, sum(map(len, by_gate.values())), outcomes, share, low, high)


def exact_interval(share: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share that was seen in `count` independent cases; it never claims too much.

    References
    ----------
    C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits, Biometrika 26(4), 1934.
    """
    hits = share * count
    low = float(betaincinv(hits, count - hits + 1, 0.025)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, count - hits, 0.975)) if hits < count else 1.0
    return low, high
