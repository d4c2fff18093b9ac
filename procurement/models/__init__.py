"""Database records; import them from here."""

from procurement.models.accounts import ApiToken, AuditEntry
from procurement.models.actuals import (
    OfferState,
    UsageCharge,
    UsageFile,
    UsageJob,
    UsageOffer,
    UsageRow,
    UsageRowState,
    UsageSample,
    UsageState,
)
from procurement.models.api import ApiIdempotency, ApiUsage, Evaluation
from procurement.models.assumptions import AssumptionSet, FxRate
from procurement.models.builds import Build, CostLine, Evidence, Promise, Site, Tranche, Waiver
from procurement.models.decisions import Decision, DecisionState
from procurement.models.discounts import ContractDiscount, PriceWatch
from procurement.models.forecast_scores import ForecastScore
from procurement.models.imports import (
    CellCorrection,
    ImportProfile,
    ImportReport,
    ReportKind,
    RowOutcome,
    StagedRow,
    TypedCell,
)
from procurement.models.jobs import Heartbeat, Job, JobStatus
from procurement.models.portfolios import AllocationRow, Portfolio, PortfolioState
from procurement.models.quotes import AcceleratorAlias, PriceSheet, Provider, Quote, SheetRow, SheetRowState, SheetState
from procurement.models.requests import (
    InvitationState,
    NoticeKind,
    QuoteRequest,
    RequestInvitation,
    RequestLetter,
    RequestNotice,
    RequestOpening,
    RequestQuestion,
    RequestState,
)
from procurement.models.requests_bids import BidState, BidTerms, RequestBid
from procurement.models.runs import (
    Answer,
    AvailabilityRow,
    ComponentRow,
    EnergizationRow,
    MonthRow,
    OptionRow,
    Run,
    RunAnswer,
    RunState,
)
from procurement.models.workloads import Workload

__all__ = [
    "AcceleratorAlias",
    "AllocationRow",
    "Answer",
    "ApiIdempotency",
    "ApiToken",
    "ApiUsage",
    "AssumptionSet",
    "AuditEntry",
    "AvailabilityRow",
    "BidState",
    "BidTerms",
    "Build",
    "CellCorrection",
    "ComponentRow",
    "ContractDiscount",
    "CostLine",
    "Decision",
    "DecisionState",
    "EnergizationRow",
    "Evaluation",
    "Evidence",
    "ForecastScore",
    "FxRate",
    "Heartbeat",
    "ImportProfile",
    "ImportReport",
    "InvitationState",
    "Job",
    "JobStatus",
    "MonthRow",
    "NoticeKind",
    "OptionRow",
    "Portfolio",
    "PortfolioState",
    "PriceSheet",
    "PriceWatch",
    "Promise",
    "Provider",
    "Quote",
    "QuoteRequest",
    "ReportKind",
    "RequestBid",
    "RequestInvitation",
    "RequestLetter",
    "RequestNotice",
    "RequestOpening",
    "RequestQuestion",
    "RequestState",
    "RowOutcome",
    "Run",
    "RunAnswer",
    "RunState",
    "SheetRow",
    "SheetRowState",
    "SheetState",
    "Site",
    "StagedRow",
    "Tranche",
    "TypedCell",
    "OfferState",
    "UsageCharge",
    "UsageFile",
    "UsageJob",
    "UsageOffer",
    "UsageRow",
    "UsageRowState",
    "UsageSample",
    "UsageState",
    "Waiver",
    "Workload",
]
