"""The administration: every record can be looked at, none can be changed past its service."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from procurement.models import AcceleratorAlias, AuditEntry
from tests.factories import make_assumptions, make_build, make_quote, make_user, make_workload

OWN = [model for model in admin.site._registry if model._meta.app_label == "procurement"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser():
    user = make_user("root", role="administrator")
    user.is_staff = user.is_superuser = True
    user.save()
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.mark.parametrize("model", OWN, ids=lambda model: model.__name__)
def test_every_record_is_listed_and_shown_but_not_changed(browser, model):
    make_assumptions()
    make_quote()
    make_build()
    make_workload()
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"

    assert browser.get(reverse(f"{name}_changelist")).status_code == 200
    for record in model._default_manager.all()[:1]:
        assert browser.get(reverse(f"{name}_change", args=[record.pk])).status_code == 200
        assert browser.post(reverse(f"{name}_delete", args=[record.pk]), {"post": "yes"}).status_code == 403


def test_an_alias_is_added_through_its_service(browser):
    stated = {"alias": "HGX Super 8", "accelerator": "H100-SXM", "note": ""}
    answer = browser.post(reverse("admin:procurement_acceleratoralias_add"), stated)

    assert answer.status_code == 302
    assert AcceleratorAlias.objects.get().accelerator == "H100-SXM"
    assert AuditEntry.objects.filter(action="accelerator_alias.create").exists()
