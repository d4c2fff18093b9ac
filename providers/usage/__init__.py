"""Usage intake: bytes of measured use in (Slurm accounting, utilisation, FOCUS bills), one checked table out."""

from providers.usage.reading import FORMATS, read_usage
from providers.usage.records import Charge, Job, LeftOut, Sample, UsageSheet

__all__ = ["FORMATS", "Charge", "Job", "LeftOut", "Sample", "UsageSheet", "read_usage"]
