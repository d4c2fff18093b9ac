"""Addresses of reports, subscriptions and deliveries under /api/v1/."""

from django.urls import path, register_converter

from procurement.api.converters import NumberConverter
from reports.api import views

register_converter(NumberConverter, "reports_number")
app_name = "reports_api"

urlpatterns = [
    path("reports/", views.ReportListApi.as_view(), name="reports"),
    path("reports/<slug:key>/", views.ReportDetailApi.as_view(), name="report"),
    path("subscriptions/", views.SubscriptionListApi.as_view(), name="subscriptions"),
    path("subscriptions/<reports_number:id>/", views.SubscriptionDetailApi.as_view(), name="subscription"),
    path(
        "subscriptions/<reports_number:id>/restore/",
        views.SubscriptionRestoreApi.as_view(),
        name="subscription_restore",
    ),
    path("subscriptions/<reports_number:id>/test/", views.SubscriptionTestApi.as_view(), name="subscription_test"),
    path("deliveries/", views.DeliveryListApi.as_view(), name="deliveries"),
    path("deliveries/<reports_number:id>/resend/", views.DeliveryResendApi.as_view(), name="delivery_resend"),
]
