"""The Django app of the reports."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Reports over finished runs: pages, files, API and scheduled e-mail. It computes nothing."""

    name = "reports"
    verbose_name = "Reports"
    default_auto_field = "django.db.models.BigAutoField"
