"""The composition root: settings, Celery, addresses, health, embedded servers. Imports everything, imported by none."""

from procurement.config.celery import app as celery_app

__all__ = ["celery_app"]
