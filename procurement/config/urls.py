"""Every address of the service."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.urls import URLPattern, URLResolver, include, path

from procurement.config import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("account/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("account/logout/", LogoutView.as_view(), name="logout"),
    path("account/password/", PasswordChangeView.as_view(success_url="/"), name="password_change"),
    path("api/v1/", include("reports.api.urls")),
    path("api/v1/", include("procurement.api.urls")),
    path("", include("reports.urls")),
    path("", include("procurement.urls")),
]
