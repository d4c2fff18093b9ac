"""The Celery application. Its options are CELERY_ in settings.py; the job rows are the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "procurement.config.settings")

app = Celery("procurement")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
