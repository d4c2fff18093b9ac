"""Recommendation and report pages in a real browser: no violations in light, dark and on a phone, nobody else asked."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse

from reports.models import MessageState, OutboxMessage
from reports.slots import trial_message
from tests.reports.factories import make_person, make_run
from tests.reports.mail_tools import make_subscription

pytestmark = pytest.mark.django_db(transaction=True)
LOOKS = [{}, {"is_dark": True}, {"is_narrow": True}]


def name_of(look):
    return "-".join(look).replace("is_", "") or "light"


@pytest.fixture
def addresses():
    """Return every page of reports with something on it, an alarm included."""
    run = make_run()
    newer = make_run()
    owner = make_person("bo", "analyst")
    subscription = make_subscription(owner=owner)
    trial_message(subscription=subscription, user=owner)
    OutboxMessage.objects.update(state=MessageState.UNCERTAIN, last_reply="The connection broke")
    return {
        "recommendations": reverse("reports:recommendations"),
        "own and rent": reverse("reports:recommendation", args=[newer.pk, "chat"]),
        "an older run": reverse("reports:recommendation", args=[run.pk, "pretraining"]),
        "none feasible": reverse("reports:recommendation", args=[newer.pk, "vision"]),
        "shelf": reverse("reports:index"),
        "report": reverse("reports:report", args=["options"]),
        "empty report": reverse("reports:report", args=["quotes_expiring"]),
        "subscriptions": reverse("reports:subscriptions"),
        "new subscription": reverse("reports:subscription_new"),
        "subscription": reverse("reports:subscription", args=[subscription.pk]),
        "deliveries": reverse("reports:deliveries"),
    }


@pytest.mark.parametrize("look", LOOKS, ids=name_of)
def test_no_page_violates_accessibility_or_overflows_or_asks_outside(
    live_server, open_context, sign_in, addresses, look
):
    page = sign_in(open_context(is_checked=True, **look))
    asked, complaints, found = [], [], {}
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    for name, path in addresses.items():
        page.goto(f"{live_server.url}{path}")
        violations = [f"{entry['id']}: {entry['nodes'][0]['html'][:120]}" for entry in _violations(page)]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if violations or wide > 0:
            found[name] = (violations, wide)

    assert found == {}
    assert complaints == []
    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []


def test_the_first_four_answers_fit_on_one_laptop_screen(live_server, open_context, sign_in, addresses):
    page = sign_in(open_context())
    page.goto(f"{live_server.url}{addresses['own and rent']}")

    bottom = page.locator(".answers").bounding_box()

    assert bottom["y"] + bottom["height"] < 860


def test_text_inside_the_chart_is_twelve_pixels_and_never_scaled(live_server, open_context, sign_in, addresses):
    page = sign_in(open_context(is_narrow=True))
    page.goto(f"{live_server.url}{addresses['own and rent']}")

    heights = page.eval_on_selector_all(
        ".chart__svg text", "texts => texts.map(text => parseFloat(getComputedStyle(text).fontSize))"
    )
    scale = page.eval_on_selector(".chart__svg", "svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width")

    assert min(heights) >= 12
    assert scale == pytest.approx(1)


def test_figures_of_the_chart_are_in_its_table_by_keyboard_and_without_script(
    live_server, open_context, sign_in, addresses
):
    page = sign_in(open_context(has_script=False))
    page.goto(f"{live_server.url}{addresses['own and rent']}")

    summary = page.locator("summary", has_text="Show as table").first
    summary.focus()
    page.keyboard.press("Enter")

    assert (
        page.locator("#cash-flow, section:has(.chart__svg)").locator("td", has_text="1,225,000.00").first.is_visible()
    )


def test_a_subscription_is_entered_by_keyboard(live_server, open_context, sign_in, addresses):
    page = sign_in(open_context())
    page.goto(f"{live_server.url}{addresses['new subscription']}")

    page.get_by_label("Name").fill("Board, monthly")
    page.get_by_label("Recipients").fill("board@example.com")
    page.get_by_label("Recipients").press("Tab")
    page.get_by_role("button", name="Save subscription").press("Enter")
    page.wait_for_load_state()

    assert page.get_by_role("heading", name="Board, monthly", level=1).is_visible()
    assert page.locator("text=Board, monthly is stored").is_visible()


def test_a_faulty_subscription_puts_focus_on_the_list_of_faults(live_server, open_context, sign_in, addresses):
    page = sign_in(open_context())
    page.goto(f"{live_server.url}{addresses['new subscription']}")

    page.get_by_label("Name").fill("Board")
    page.get_by_label("Recipients").fill("nobody")
    page.get_by_role("button", name="Save subscription").click()
    page.wait_for_load_state()

    assert page.title().startswith("Error:")
    assert page.evaluate("document.activeElement.id") == "faults"


def _violations(page):
    return Axe().run(page).response["violations"]
