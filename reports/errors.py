"""What a report refuses: it is better to send nothing than a figure that is missing or wrong."""

from procurement.errors import ProcurementError


class ReportUnavailable(ProcurementError):
    """The report cannot be made now; the message says what is missing."""

    def __init__(self, message: str) -> None:
        super().__init__("report_unavailable", message)
