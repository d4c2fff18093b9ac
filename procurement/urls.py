"""Addresses of the record pages."""

from django.urls import path

from procurement.views import display

app_name = "procurement"

urlpatterns = [
    path("styleguide/", display.styleguide, name="styleguide"),
    path("account/theme/", display.theme_choose, name="theme"),
]
