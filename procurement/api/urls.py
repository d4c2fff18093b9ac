"""Addresses of the interface."""

from django.urls import path, register_converter

from procurement.api import (
    views_accounts,
    views_actuals,
    views_build_parts,
    views_builds,
    views_decisions,
    views_discounts,
    views_evaluate,
    views_imports,
    views_portfolios,
    views_prices,
    views_quotes,
    views_reference,
    views_requests,
    views_requests_parts,
    views_runs,
    views_schema,
    views_sheets,
    views_tables,
    views_track_record,
    views_workloads,
)
from procurement.api.converters import CodeConverter, NumberConverter

register_converter(CodeConverter, "record_code")
register_converter(NumberConverter, "record_id")

CODE = "<record_code:code>"
ID = "<record_id:id>"
app_name = "api"

reference = [
    path("providers/", views_reference.ProviderListApi.as_view(), name="providers"),
    path(f"providers/{CODE}/", views_reference.ProviderDetailApi.as_view(), name="provider"),
    path(f"providers/{CODE}/restore/", views_reference.ProviderRestoreApi.as_view(), name="provider_restore"),
    path("sites/", views_reference.SiteListApi.as_view(), name="sites"),
    path(f"sites/{CODE}/", views_reference.SiteDetailApi.as_view(), name="site"),
    path(f"sites/{CODE}/restore/", views_reference.SiteRestoreApi.as_view(), name="site_restore"),
    path("accelerator-aliases/", views_reference.AcceleratorAliasListApi.as_view(), name="accelerator_aliases"),
    path(f"accelerator-aliases/{ID}/", views_reference.AcceleratorAliasDetailApi.as_view(), name="accelerator_alias"),
]
quotes = [
    path("price-sheets/", views_sheets.PriceSheetListApi.as_view(), name="price_sheets"),
    path(f"price-sheets/{ID}/", views_sheets.PriceSheetDetailApi.as_view(), name="price_sheet"),
    path(f"price-sheets/{ID}/file/", views_sheets.PriceSheetFileApi.as_view(), name="price_sheet_file"),
    path(f"price-sheets/{ID}/rows/", views_sheets.SheetRowListApi.as_view(), name="sheet_rows"),
    path(
        f"price-sheets/{ID}/rows/<record_id:row_id>/release/",
        views_sheets.SheetRowReleaseApi.as_view(),
        name="sheet_row_release",
    ),
    path(f"price-sheets/{ID}/validate/", views_imports.ImportValidateApi.as_view(), name="import_validate"),
    path(f"price-sheets/{ID}/corrections/", views_imports.ImportCorrectionListApi.as_view(), name="corrections"),
    path(f"price-sheets/{ID}/execute/", views_imports.ImportExecuteApi.as_view(), name="import_execute"),
    path(f"price-sheets/{ID}/undo/", views_imports.ImportUndoApi.as_view(), name="import_undo"),
    path(f"price-sheets/{ID}/discard/", views_imports.ImportDiscardApi.as_view(), name="import_discard"),
    path(f"price-sheets/{ID}/reports/", views_imports.ImportReportListApi.as_view(), name="import_reports"),
    path(
        f"price-sheets/{ID}/reports/<record_id:report_id>/",
        views_imports.ImportReportDetailApi.as_view(),
        name="import_report",
    ),
    path("import-profiles/", views_imports.ImportProfileListApi.as_view(), name="import_profiles"),
    path("quotes/", views_quotes.QuoteListApi.as_view(), name="quotes"),
    path(f"quotes/{CODE}/", views_quotes.QuoteDetailApi.as_view(), name="quote"),
    path(f"quotes/{CODE}/price/", views_prices.QuotePriceDetailApi.as_view(), name="quote_price"),
    path(f"quotes/{CODE}/price-history/", views_prices.QuotePriceHistoryApi.as_view(), name="price_history"),
    path(f"quotes/{CODE}/price-history.csv", views_prices.QuotePriceHistoryFileApi.as_view(), name="price_history_csv"),
    path(f"quotes/{CODE}/restore/", views_quotes.QuoteRestoreApi.as_view(), name="quote_restore"),
    path(f"quotes/{CODE}/versions/", views_quotes.QuoteVersionListApi.as_view(), name="quote_versions"),
    path(
        f"quotes/{CODE}/versions/<record_id:number>/",
        views_quotes.QuoteVersionDetailApi.as_view(),
        name="quote_version",
    ),
    path(
        f"quotes/{CODE}/versions/<record_id:number>/changes/",
        views_prices.QuoteVersionChangesApi.as_view(),
        name="quote_version_changes",
    ),
    path("quote-prices/", views_prices.QuotePriceListApi.as_view(), name="quote_prices"),
    path("price-sources/", views_prices.PriceSourceListApi.as_view(), name="price_sources"),
    path("price-nights/", views_prices.PriceNightListApi.as_view(), name="price_nights"),
    path("discounts/", views_discounts.DiscountListApi.as_view(), name="discounts"),
    path(f"discounts/{CODE}/", views_discounts.DiscountDetailApi.as_view(), name="discount"),
    path(f"discounts/{CODE}/restore/", views_discounts.DiscountRestoreApi.as_view(), name="discount_restore"),
]
requests = [
    path("requests/", views_requests.RequestListApi.as_view(), name="requests"),
    path(f"requests/{CODE}/", views_requests.RequestDetailApi.as_view(), name="request"),
    path(f"requests/{CODE}/publish/", views_requests.RequestPublishApi.as_view(), name="request_publish"),
    path(f"requests/{CODE}/extend/", views_requests.RequestExtendApi.as_view(), name="request_extend"),
    path(f"requests/{CODE}/open/", views_requests.RequestOpenApi.as_view(), name="request_open"),
    path(f"requests/{CODE}/opening/", views_requests.RequestOpeningApi.as_view(), name="request_opening"),
    path(f"requests/{CODE}/comparison/", views_requests.ComparisonApi.as_view(), name="request_comparison"),
    path(f"requests/{CODE}/comparison.csv", views_requests.ComparisonCsvApi.as_view(), name="request_comparison_csv"),
    path(
        f"requests/{CODE}/comparison.xlsx",
        views_requests.ComparisonWorkbookApi.as_view(),
        name="request_comparison_xlsx",
    ),
    path(f"requests/{CODE}/award/", views_requests.RequestAwardApi.as_view(), name="request_award"),
    path(f"requests/{CODE}/cancel/", views_requests.RequestCancelApi.as_view(), name="request_cancel"),
    path(f"requests/{CODE}/invitations/", views_requests_parts.InvitationListApi.as_view(), name="request_invitations"),
    path(
        f"requests/{CODE}/invitations/{ID}/",
        views_requests_parts.InvitationDetailApi.as_view(),
        name="request_invitation",
    ),
    path(
        f"requests/{CODE}/invitations/{ID}/restore/",
        views_requests_parts.InvitationRestoreApi.as_view(),
        name="request_invitation_restore",
    ),
    path(
        f"requests/{CODE}/invitations/{ID}/decline/",
        views_requests_parts.InvitationDeclineApi.as_view(),
        name="request_invitation_decline",
    ),
    path(f"requests/{CODE}/questions/", views_requests_parts.QuestionListApi.as_view(), name="request_questions"),
    path(
        f"requests/{CODE}/questions/{ID}/answer/",
        views_requests_parts.QuestionAnswerApi.as_view(),
        name="request_question_answer",
    ),
    path(f"requests/{CODE}/notices/", views_requests_parts.NoticeListApi.as_view(), name="request_notices"),
    path(f"requests/{CODE}/letters/", views_requests_parts.LetterListApi.as_view(), name="request_letters"),
    path(
        f"requests/{CODE}/letters/{ID}/sent/", views_requests_parts.LetterSentApi.as_view(), name="request_letter_sent"
    ),
    path(
        f"requests/{CODE}/letters/{ID}/mail/", views_requests_parts.LetterMailApi.as_view(), name="request_letter_mail"
    ),
    path(f"requests/{CODE}/bids/", views_requests_parts.BidListApi.as_view(), name="request_bids"),
    path(f"requests/{CODE}/bids/{ID}/", views_requests_parts.BidDetailApi.as_view(), name="request_bid"),
    path(
        f"requests/{CODE}/bids/{ID}/withdraw/",
        views_requests_parts.BidWithdrawApi.as_view(),
        name="request_bid_withdraw",
    ),
    path(f"requests/{CODE}/bids/{ID}/reject/", views_requests_parts.BidRejectApi.as_view(), name="request_bid_reject"),
    path(
        f"requests/{CODE}/bids/{ID}/attachment/",
        views_requests_parts.BidAttachmentApi.as_view(),
        name="request_bid_attachment",
    ),
]
builds = [
    path("builds/", views_builds.BuildListApi.as_view(), name="builds"),
    path(f"builds/{CODE}/", views_builds.BuildDetailApi.as_view(), name="build"),
    path(f"builds/{CODE}/restore/", views_builds.BuildRestoreApi.as_view(), name="build_restore"),
    path(f"builds/{CODE}/document/", views_builds.BuildDocumentApi.as_view(), name="build_document"),
    path(f"builds/{CODE}/status/", views_builds.BuildStatusApi.as_view(), name="build_status"),
    path(f"builds/{CODE}/tranches/", views_build_parts.TrancheListApi.as_view(), name="tranches"),
    path(f"builds/{CODE}/tranches/{ID}/", views_build_parts.TrancheDetailApi.as_view(), name="tranche"),
    path(
        f"builds/{CODE}/tranches/{ID}/restore/", views_build_parts.TrancheRestoreApi.as_view(), name="tranche_restore"
    ),
    path(f"builds/{CODE}/costs/", views_build_parts.CostLineListApi.as_view(), name="cost_lines"),
    path(f"builds/{CODE}/costs/{ID}/", views_build_parts.CostLineDetailApi.as_view(), name="cost_line"),
    path(
        f"builds/{CODE}/costs/{ID}/restore/", views_build_parts.CostLineRestoreApi.as_view(), name="cost_line_restore"
    ),
    path(f"builds/{CODE}/waivers/", views_build_parts.WaiverListApi.as_view(), name="waivers"),
    path(f"builds/{CODE}/waivers/{ID}/", views_build_parts.WaiverDetailApi.as_view(), name="waiver"),
    path(f"builds/{CODE}/waivers/{ID}/restore/", views_build_parts.WaiverRestoreApi.as_view(), name="waiver_restore"),
    path(f"builds/{CODE}/evidence/", views_build_parts.EvidenceListApi.as_view(), name="evidence_list"),
    path(f"builds/{CODE}/evidence/{ID}/", views_build_parts.EvidenceDetailApi.as_view(), name="evidence"),
    path(
        f"builds/{CODE}/evidence/{ID}/confirm/", views_build_parts.EvidenceConfirmApi.as_view(), name="evidence_confirm"
    ),
    path(
        f"builds/{CODE}/evidence/{ID}/attachment/",
        views_build_parts.EvidenceAttachmentApi.as_view(),
        name="evidence_attachment",
    ),
    path(f"builds/{CODE}/promises/", views_build_parts.PromiseListApi.as_view(), name="promises"),
    path(f"builds/{CODE}/promises/{ID}/", views_build_parts.PromiseDetailApi.as_view(), name="promise"),
]
workloads = [
    path("workloads/", views_workloads.WorkloadListApi.as_view(), name="workloads"),
    path(f"workloads/{CODE}/", views_workloads.WorkloadDetailApi.as_view(), name="workload"),
    path(f"workloads/{CODE}/restore/", views_workloads.WorkloadRestoreApi.as_view(), name="workload_restore"),
    path("workload-presets/", views_workloads.WorkloadPresetListApi.as_view(), name="workload_presets"),
    path("assumption-sets/", views_workloads.AssumptionSetListApi.as_view(), name="assumption_sets"),
    path(
        "assumption-sets/in-force/", views_workloads.AssumptionSetInForceApi.as_view(), name="assumption_set_in_force"
    ),
    path(f"assumption-sets/{ID}/", views_workloads.AssumptionSetDetailApi.as_view(), name="assumption_set"),
    path(
        f"assumption-sets/{ID}/put-in-force/",
        views_workloads.AssumptionSetPutInForceApi.as_view(),
        name="assumption_set_put_in_force",
    ),
]
WORKLOAD = "<record_code:workload>"
runs = [
    path("runs/", views_runs.RunListApi.as_view(), name="runs"),
    path(f"runs/{ID}/", views_runs.RunDetailApi.as_view(), name="run"),
    path(f"runs/{ID}/inputs/", views_runs.RunInputsApi.as_view(), name="run_inputs"),
    path(f"runs/{ID}/energization/", views_runs.RunEnergizationListApi.as_view(), name="run_energization"),
    path(f"runs/{ID}/recommendations/", views_runs.RecommendationListApi.as_view(), name="recommendations"),
    path(f"runs/{ID}/recommendations/{WORKLOAD}/", views_runs.RecommendationDetailApi.as_view(), name="recommendation"),
    path(f"runs/{ID}/recommendations/{WORKLOAD}/options/", views_runs.OptionListApi.as_view(), name="options"),
    path(
        f"runs/{ID}/recommendations/{WORKLOAD}/availability/",
        views_runs.AvailabilityListApi.as_view(),
        name="availability",
    ),
    path("recommendations/", views_runs.LatestRecommendationListApi.as_view(), name="latest_recommendations"),
    path(
        f"recommendations/{WORKLOAD}/",
        views_runs.LatestRecommendationDetailApi.as_view(),
        name="latest_recommendation",
    ),
]
looking_back = [
    path("actuals/files/", views_actuals.UsageFileListApi.as_view(), name="usage_files"),
    path(f"actuals/files/{ID}/", views_actuals.UsageFileDetailApi.as_view(), name="usage_file"),
    path(f"actuals/files/{ID}/file/", views_actuals.UsageFileFileApi.as_view(), name="usage_file_file"),
    path(f"actuals/files/{ID}/withdraw/", views_actuals.UsageFileWithdrawApi.as_view(), name="usage_file_withdraw"),
    path(f"actuals/files/{ID}/rows/", views_actuals.UsageRowListApi.as_view(), name="usage_rows"),
    path(
        f"actuals/files/{ID}/rows/<record_id:row_id>/assign/",
        views_actuals.UsageRowAssignApi.as_view(),
        name="usage_row_assign",
    ),
    path(f"actuals/workloads/{CODE}/", views_actuals.WorkloadMeasuredApi.as_view(), name="workload_measured"),
    path(f"actuals/builds/{CODE}/", views_actuals.BuildMeasuredApi.as_view(), name="build_measured"),
    path("actuals/offers/", views_actuals.UsageOfferListApi.as_view(), name="usage_offers"),
    path(f"actuals/offers/{ID}/", views_actuals.UsageOfferDetailApi.as_view(), name="usage_offer"),
    path(f"actuals/offers/{ID}/accept/", views_actuals.UsageOfferAcceptApi.as_view(), name="usage_offer_accept"),
    path(f"actuals/offers/{ID}/decline/", views_actuals.UsageOfferDeclineApi.as_view(), name="usage_offer_decline"),
    path("forecast-scores/", views_track_record.ForecastScoreListApi.as_view(), name="forecast_scores"),
    path("forecast-track-record/", views_track_record.TrackRecordApi.as_view(), name="track_record"),
    path("learned-slips/", views_track_record.LearnedSlipListApi.as_view(), name="learned_slips"),
    path("learned-slips/propose/", views_track_record.LearnedSlipProposeApi.as_view(), name="learned_slips_propose"),
]
decisions = [
    path("decisions/", views_decisions.DecisionListApi.as_view(), name="decisions"),
    path(f"decisions/{CODE}/", views_decisions.DecisionDetailApi.as_view(), name="decision"),
    path(f"decisions/{CODE}/approve/", views_decisions.DecisionApproveApi.as_view(), name="decision_approve"),
    path(f"decisions/{CODE}/reject/", views_decisions.DecisionRejectApi.as_view(), name="decision_reject"),
    path(f"decisions/{CODE}/withdraw/", views_decisions.DecisionWithdrawApi.as_view(), name="decision_withdraw"),
]
accounts = [
    path("me/", views_accounts.PersonApi.as_view(), name="me"),
    path("tokens/", views_accounts.TokenListApi.as_view(), name="tokens"),
    path("tokens/<record_code:key>/", views_accounts.TokenDetailApi.as_view(), name="token"),
    path("jobs/", views_accounts.JobListApi.as_view(), name="jobs"),
    path(f"jobs/{ID}/", views_accounts.JobDetailApi.as_view(), name="job"),
    path(f"jobs/{ID}/retry/", views_accounts.JobRetryApi.as_view(), name="job_retry"),
    path("history/", views_accounts.HistoryListApi.as_view(), name="history"),
]
portfolios = [
    path("portfolios/", views_portfolios.PortfolioListApi.as_view(), name="portfolios"),
    path(f"portfolios/{ID}/", views_portfolios.PortfolioDetailApi.as_view(), name="portfolio"),
    path(f"portfolios/{ID}/answer/", views_portfolios.PortfolioAnswerApi.as_view(), name="portfolio_answer"),
    path(f"portfolios/{ID}/allocation/", views_portfolios.AllocationListApi.as_view(), name="allocation"),
    path(f"portfolios/{ID}/stop/", views_portfolios.PortfolioStopApi.as_view(), name="portfolio_stop"),
]
answers = [
    path("evaluate/", views_evaluate.EvaluateApi.as_view(), name="evaluate"),
    path("evaluate/schema/", views_evaluate.EvaluateSchemaApi.as_view(), name="evaluate_schema"),
    path("evaluate/example/", views_evaluate.EvaluateExampleApi.as_view(), name="evaluate_example"),
    path("evaluations/<uuid:evaluation_id>/", views_evaluate.EvaluationDetailApi.as_view(), name="evaluation"),
    path("tables/", views_tables.TableListApi.as_view(), name="tables"),
    path("tables/<slug:table>.csv", views_tables.TableCsvApi.as_view(), name="table"),
    path("tables/<slug:table>/schema/", views_tables.TableSchemaApi.as_view(), name="table_schema"),
]
description = [
    path("", views_schema.IndexApi.as_view(), name="index"),
    path("schema/", views_schema.OpenApiFileApi.as_view(), name="schema"),
    path("docs/", views_schema.SwaggerApi.as_view(), name="docs"),
    path("reference/", views_schema.ReferenceApi.as_view(), name="reference"),
]
urlpatterns = [
    *description, *reference, *quotes, *requests, *builds, *workloads, *runs, *portfolios, *looking_back,
    *decisions, *accounts, *answers,
]  # fmt: skip
