"""The Django app of the procurement records."""

from django.apps import AppConfig


class ProcurementConfig(AppConfig):
    """Quotes, builds, workloads, runs, decisions and the jobs that recompute them."""

    name = "procurement"
    verbose_name = "Procurement"
    default_auto_field = "django.db.models.BigAutoField"
