"""Roles: who may see and do what, checked at the door of every page."""

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from procurement.permissions import ACTIONS, ADMINISTRATOR, ROLES
from procurement.urls import urlpatterns
from tests.factories import make_assumptions, make_build, make_quote, make_workload
from tests.procurement.page_tools import signed_in

pytestmark = pytest.mark.django_db

LISTS = (
    "overview", "search", "help", "quotes", "quotes_compare", "expiries", "discounts", "held_rows", "price_sheets",
    "price_sources", "providers", "builds", "capacity", "sites", "workloads", "assumptions", "runs", "jobs",
    "decisions", "tokens", "track_record", "learned_slips", "actuals",
    "usage_files", "requests",
)  # fmt: skip
# page that needs a right, the right
FORMS = (
    ("quote_new", "quote.edit"), ("discount_new", "discount.edit"), ("price_sheet_new", "quote.edit"),
    ("provider_new", "provider.edit"), ("site_new", "site.edit"), ("build_new", "build.edit"),
    ("workload_new", "workload.edit"), ("assumption_set_new", "assumptions.edit"), ("token_new", "token.own"),
    ("mapping_new", "reference.edit"), ("usage_file_new", "actuals.import"),
    ("request_new", "request.edit"),
)  # fmt: skip


@pytest.mark.parametrize("page", LISTS)
def test_a_viewer_reads_every_list(page):
    assert signed_in("viewer").get(reverse(f"procurement:{page}")).status_code == 200


@pytest.mark.parametrize("page", LISTS)
def test_a_stranger_is_asked_to_sign_in_and_comes_back(page):
    address = reverse(f"procurement:{page}")

    answer = Client().get(address)

    assert answer.status_code == 302
    assert answer["Location"] == f"{reverse('login')}?next={address}"


@pytest.mark.parametrize("page", LISTS)
def test_a_person_without_any_role_is_told_who_can_help(page):
    answer = signed_in(None, name="newcomer").get(reverse(f"procurement:{page}"))

    assert answer.status_code == 403
    assert b"Ask an administrator" in answer.content


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("page", "action"), FORMS)
def test_a_form_opens_for_its_roles_alone(page, action, role):
    expected = 200 if role in (*ACTIONS[action], ADMINISTRATOR) else 403

    assert signed_in(role).get(reverse(f"procurement:{page}")).status_code == expected


@pytest.mark.parametrize(("page", "action"), FORMS)
def test_what_may_not_be_opened_may_not_be_sent_either(page, action):
    role = next((role for role in ROLES if role not in (*ACTIONS[action], ADMINISTRATOR)), None)
    if role is None:
        pytest.skip("every role may")

    assert signed_in(role).post(reverse(f"procurement:{page}"), {}).status_code == 403


@pytest.mark.parametrize("role", ["viewer", "finance"])
def test_buttons_that_would_be_refused_are_not_shown(role):
    make_assumptions()
    quote = make_quote()

    page = signed_in(role).get(reverse("procurement:quote", args=[quote.pk]))

    assert b"New version" not in page.content
    assert signed_in(role).post(reverse("procurement:quote_archive", args=[quote.pk])).status_code == 403


def test_every_page_has_a_door():
    views = [pattern.callback for pattern in urlpatterns if hasattr(pattern.callback, "view_class")]

    assert all(view.view_class.action in ACTIONS for view in views)
    assert len(views) > 70


def test_a_session_that_ended_answers_a_fragment_without_losing_the_page():
    answer = Client().get(reverse("procurement:jobs"), headers={"HX-Request": "true"})

    assert answer.status_code == 401
    assert b"Sign in in a new tab" in answer.content


@pytest.mark.parametrize("next_address", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_choosing_a_theme_never_leads_away(next_address):
    answer = signed_in("viewer").post(reverse("procurement:theme"), {"theme": "dark", "next": next_address})

    assert answer["Location"] == "/"
    assert answer.cookies["theme"].value == "dark"


def test_pages_carry_no_inline_script_or_style_and_ask_nobody_else():
    make_assumptions()
    make_build()
    make_workload()

    for page in LISTS:
        html = signed_in("administrator").get(reverse(f"procurement:{page}")).content.decode()
        assert " style=" not in html, page
        assert "<style" not in html, page
        assert "<script>" not in html, page
        assert ' src="http' not in html, page


def test_addresses_have_one_name_each():
    names = [pattern.name for pattern in urlpatterns]

    assert len(names) == len(set(names))
    assert get_resolver().resolve("/quotes/").url_name == "quotes"


def test_what_is_not_there_says_so():
    answer = signed_in("viewer").get("/quotes/999999/")

    assert answer.status_code == 404
    assert b"Page not found" in answer.content


def test_the_style_guide_is_for_administrators():
    assert signed_in("viewer").get(reverse("procurement:styleguide")).status_code == 404
    assert signed_in("administrator").get(reverse("procurement:styleguide")).status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        "/search/?q=%00", "/quotes/of/%00/", "/quotes/of/no-such-offer/", "/decisions/new/?workload=%00&run=1",
        "/decisions/new/?run=99999999999999999999", "/runs/99999999999999999999/", "/jobs/99999999999999999999/",
        "/assumptions/new/?copy=99999999999999999999", "/quotes/expiring/?days=-1", "/builds/nobody/",
        "/workloads/x/edit/", "/quotes/?sort=-pk&page=-3&size=0", "/builds/?accelerator=%00", "/price-sheets/99/file/",
        "/workloads/new/?preset=%00",
    ],
)  # fmt: skip
def test_no_address_ends_in_a_fault_of_ours(address):
    make_assumptions()

    assert signed_in("administrator").get(address).status_code in (200, 404)


@pytest.mark.parametrize("version", ["abc", "", "-1", "9" * 30, "1\0"])
def test_no_button_ends_in_a_fault_of_ours(version):
    make_assumptions()
    quote = make_quote()
    address = reverse("procurement:quote_archive", args=[quote.pk])

    answer = signed_in("analyst").post(address, {"version": version, "reason": "\0"})

    assert answer.status_code == 302


ODD_VALUES = ("\0", "é" * 3000, "1e15", "-1", "9" * 40, "2 / 1 / 3", "{}", "[1", "<script>", "0001-01-01", "2026-02-30")


@pytest.mark.parametrize("page", [page for page, _ in FORMS])
def test_no_form_ends_in_a_fault_of_ours(page):
    make_assumptions()
    client = signed_in("administrator")
    address = reverse(f"procurement:{page}")
    fields = set(client.get(address).context["form"].fields) - {"file"}

    found = {value: client.post(address, dict.fromkeys(fields, value)).status_code for value in ODD_VALUES}

    assert set(found.values()) <= {200, 302, 422}, found


def test_no_form_of_a_build_ends_in_a_fault_of_ours():
    make_assumptions()
    make_build("hall-1")
    client = signed_in("administrator")
    found = {}

    for part in ("evidence/new", "promises/new", "tranche/new", "cost/new", "waiver/new", "edit"):
        address = f"/builds/hall-1/{part}/"
        fields = set(client.get(address).context["form"].fields) - {"attachment"}
        found |= {(part, value): client.post(address, dict.fromkeys(fields, value)).status_code for value in ODD_VALUES}

    assert set(found.values()) <= {302, 409, 422}, found
