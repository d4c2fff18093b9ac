"""Addresses of recommendations, the report shelf and subscriptions."""

from django.urls import path

from reports.views import recommendations, shelf, subscriptions, unsubscribe

app_name = "reports"

urlpatterns = [
    path("recommendations/", recommendations.RecommendationLatestView.as_view(), name="recommendations"),
    path(
        "recommendations/latest/<str:workload>/",
        recommendations.RecommendationLatestDetailView.as_view(),
        name="recommendation_latest",
    ),
    path(
        "recommendations/<int:run_id>/",
        recommendations.RecommendationListView.as_view(),
        name="run_recommendations",
    ),
    path("recommendations/<int:run_id>/inputs.json", recommendations.RunInputsView.as_view(), name="run_inputs"),
    path(
        "recommendations/<int:run_id>/<str:workload>/",
        recommendations.RecommendationDetailView.as_view(),
        name="recommendation",
    ),
    path(
        "recommendations/<int:run_id>/<str:workload>/memo.pdf",
        recommendations.RecommendationMemoView.as_view(),
        name="recommendation_memo",
    ),
    path(
        "recommendations/<int:run_id>/<str:workload>/workbook.xlsx",
        recommendations.RecommendationWorkbookView.as_view(),
        name="recommendation_workbook",
    ),
    path(
        "recommendations/<int:run_id>/<str:workload>/cash-flow.csv",
        recommendations.CashFlowCsvView.as_view(),
        name="recommendation_cash_flow",
    ),
    path("reports/", shelf.ReportIndexView.as_view(), name="index"),
    path("reports/subscriptions/", subscriptions.SubscriptionListView.as_view(), name="subscriptions"),
    path("reports/subscriptions/new/", subscriptions.SubscriptionCreateView.as_view(), name="subscription_new"),
    path("reports/subscriptions/<int:pk>/", subscriptions.SubscriptionUpdateView.as_view(), name="subscription"),
    path(
        "reports/subscriptions/<int:pk>/archive/",
        subscriptions.SubscriptionArchiveView.as_view(),
        name="subscription_archive",
    ),
    path(
        "reports/subscriptions/<int:pk>/test/", subscriptions.SubscriptionTestView.as_view(), name="subscription_test"
    ),
    path(
        "reports/subscriptions/<int:pk>/preview/<str:part>/",
        subscriptions.SubscriptionPreviewView.as_view(),
        name="subscription_preview",
    ),
    path("reports/deliveries/", subscriptions.DeliveryListView.as_view(), name="deliveries"),
    path("reports/deliveries/<int:pk>/<str:part>/", subscriptions.DeliveryCopyView.as_view(), name="delivery_copy"),
    path("reports/deliveries/<int:pk>/resend", subscriptions.DeliveryResendView.as_view(), name="delivery_resend"),
    path("reports/deliveries/<int:pk>/seen", subscriptions.DeliverySeenView.as_view(), name="delivery_seen"),
    path("reports/slots/<int:pk>/seen", subscriptions.SlotSeenView.as_view(), name="slot_seen"),
    path("reports/<slug:key>.<str:format_key>", shelf.ReportFileView.as_view(), name="report_file"),
    path("reports/<slug:key>/", shelf.ReportView.as_view(), name="report"),
    path("unsubscribe/<str:token>/", unsubscribe.UnsubscribeView.as_view(), name="unsubscribe"),
]
