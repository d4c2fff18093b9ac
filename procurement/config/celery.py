"""The Celery application. Its options are in settings.py under CELERY_; the job rows are the truth, this only nudges."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "procurement.config.settings")

app = Celery("procurement")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
