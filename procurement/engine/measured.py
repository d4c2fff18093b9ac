"""What was measured where work already runs: timed runs of a place, months of the present place."""

from dataclasses import dataclass
from datetime import date

from procurement.engine.columns import column


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """A run that was timed at a place; several of them give the place's multiplier of the toll."""

    accelerators: int = column("size of the run", unit="accelerators", required=True, default=0)
    params_b: float = column("parameters of the model", unit="billions", required=True, default=0.0)
    step_s: float = column("time of a step, as measured", unit="s", required=True, default=0.0)
    compute_s: float = column("time of that step without communication", unit="s", required=True, default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredMonth:
    """What the present place did in one month; a factor that was not measured is taken from the model."""

    month: date = column("first day of the month", required=True)
    utilisation: float = column("share of all hours at work", unit="fraction", required=True, default=0.0)
    efficiency: float | None = column("share of the work not lost to communication", unit="fraction")
    goodput: float | None = column("share not lost to failures and restarts", unit="fraction")
    feed: float | None = column("share not lost to waiting for data", unit="fraction")
