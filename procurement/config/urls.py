"""Every address of the service."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

from procurement.config import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
]
