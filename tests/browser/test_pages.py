"""Pages as people meet them: no axe violation, nothing from elsewhere, keyboard, phone, paper, no script."""

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from pypdf import PdfReader

from procurement.models import PortfolioState, Run
from procurement.selectors import clock
from procurement.services.job_runner import job_work
from procurement.services.portfolios import portfolio_request
from procurement.tasks import JOB_KINDS
from procurement.views.frame import MAIN
from tests.factories import actor, make_assumptions, make_build, make_discount, make_quote, make_workload
from tests.procurement.portfolio_runs import make_portfolio
from tests.procurement.requests_tools import make_request, opened_sample

pytestmark = pytest.mark.django_db(transaction=True)

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MODES = {"light": {}, "dark": {"is_dark": True}, "390 px": {"is_narrow": True}}


@pytest.fixture
def records():
    """Make one record of each kind and a finished run."""
    make_assumptions()
    make_discount()
    quote = make_quote()
    build = make_build("hall-1")
    workload = make_workload("serve")
    quote_request = opened_sample()
    asked = make_request(due_at=clock.database_now() + timedelta(days=1))
    invitation = asked.invitations.first()
    work_off()
    run = Run.objects.get()
    planned, _ = portfolio_request(by=actor("analyst"), run=run)
    work_off()
    return {
        "run": run.pk, "portfolio": planned.pk, "no_plan": without_plan(run).pk, "earlier": earlier(run).pk,
        "quote": quote.pk, "offer": quote.code, "build": build.code, "workload": workload.code,
        "request": quote_request.code,
        "bid": quote_request.bids.get().pk, "asked": asked.code, "invitation": invitation.pk,
        "letter": invitation.letters.first().pk,
    }  # fmt: skip


def work_off():
    """Let a worker do what waits."""
    while job_work(kinds=JOB_KINDS) is not None:
        pass


def without_plan(run):
    """Return a portfolio of that run whose only demand has no place."""
    conflict = "demand of serve: 8 accelerators, in one place; no place serves all of its months (residency 2)"
    answer = {"conflict": [conflict], "conflict_is_irreducible": True}
    pins = [{"workload": "serve", "place": "hall-1", "share": "1"}]
    return make_portfolio(run, state=PortfolioState.INFEASIBLE, answer=answer, pins=pins)


def earlier(run):
    """Return a run that was asked a day before, so that there is one to compare with."""
    day = timedelta(days=1)
    kept = {name: getattr(run, name) for name in ("inputs", "engine_version", "as_of", "currency", "state")}
    return Run.objects.create(
        inputs_digest="0" * 64, assumption_set=run.assumption_set, last_asked_at=run.last_asked_at - day,
        finished_at=run.finished_at - day, **kept,
    )  # fmt: skip


PAGES = (
    "/", "/quotes/", "/quotes/new/", "/quotes/{quote}/", "/quotes/{quote}/edit/", "/quotes/{quote}/history/",
    "/quotes/{quote}/prices/", "/quotes/{quote}/versions/", "/quotes/compare/?code={offer}", "/quotes/expiring/",
    "/discounts/", "/discounts/new/", "/discounts/acme-frame/", "/price-sheets/", "/price-sheets/new/",
    "/price-sheets/sources/", "/price-sheets/held/", "/price-sheets/mappings/new/",
    "/providers/", "/sites/", "/builds/", "/builds/new/",
    "/builds/{build}/", "/builds/{build}/evidence/", "/builds/{build}/evidence/new/", "/builds/{build}/promises/",
    "/builds/{build}/costs/", "/builds/{build}/history/", "/capacity/", "/workloads/", "/workloads/new/",
    "/workloads/{workload}/", "/assumptions/", "/assumptions/new/", "/look-back/",
    "/look-back/files/", "/look-back/files/new/", "/look-back/forecasts/", "/look-back/slips/",
    "/look-back/workloads/{workload}/", "/runs/", "/runs/{run}/", "/runs/{run}/compare/?with={earlier}", "/jobs/",
    "/decisions/",
    "/portfolios/", "/portfolios/new/", "/portfolios/{portfolio}/", "/portfolios/{no_plan}/",
    "/decisions/new/?workload={workload}", "/account/tokens/", "/account/tokens/new/", "/search/?q=h100", "/help/",
    "/requests/", "/requests/new/", "/requests/{request}/", "/requests/{request}/bids/",
    "/requests/{request}/questions/",
    "/requests/{request}/comparison/", "/requests/{request}/bids/{bid}/", "/requests/{request}/award/",
    "/requests/{asked}/", "/requests/{asked}/letters/", "/requests/{asked}/letters/{letter}/",
    "/requests/{asked}/suppliers/{invitation}/bid/", "/styleguide/", "/nowhere/",
)  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_no_page_has_an_axe_violation_or_scrolls_sideways(live_server, open_context, sign_in, records, mode):
    page = sign_in(open_context(is_checked=True, **MODES[mode]))
    faults = []

    for pattern in PAGES:
        page.goto(live_server.url + pattern.format(**records))
        found = Axe().run(page, options={"runOnly": RULES}).response["violations"]
        faults += [f"{pattern}: {fault['id']} {fault['nodes'][0]['html'][:120]}" for fault in found]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.append(f"{pattern}: wider than the window")

    assert faults == []


def test_no_page_asks_anybody_else_or_breaks_its_own_policy(live_server, open_context, sign_in, records):
    context = open_context()
    page = sign_in(context)
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    for pattern in PAGES[:-1]:
        page.goto(live_server.url + pattern.format(**records))

    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []
    assert complaints == []


def test_the_login_page_takes_pasted_passwords_and_is_clean(live_server, open_context):
    page = open_context(is_checked=True).new_page()
    page.goto(f"{live_server.url}/account/login/")

    assert Axe().run(page, options={"runOnly": RULES}).response["violations"] == []
    page.evaluate("navigator.clipboard ? 1 : 0")
    page.fill("[name=password]", "pasted")
    assert page.input_value("[name=password]") == "pasted"


def test_a_refused_form_takes_the_reader_to_its_faults(live_server, open_context, sign_in, records):
    page = sign_in(open_context(), "analyst")
    page.goto(f"{live_server.url}/quotes/new/")
    page.fill("[name=source]", "kept words")
    page.click("text=Save quote")

    assert page.title().startswith("Error:")
    assert page.evaluate("document.activeElement.id") == "faults"
    assert page.input_value("[name=source]") == "kept words"
    page.click("#faults a >> nth=0")
    assert page.evaluate("document.activeElement.name") == "provider"


def test_the_keyboard_reaches_the_content_the_search_and_back(live_server, open_context, sign_in, records):
    page = sign_in(open_context())
    page.goto(f"{live_server.url}/quotes/")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"


def test_escape_closes_the_menu_and_gives_the_focus_back(live_server, open_context, sign_in):
    page = sign_in(open_context())
    page.click(".bar__end summary")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")

    assert page.evaluate("document.querySelector('.bar__end details').open") is False
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


REACHED = """links => links.filter(link => {
    const box = link.getBoundingClientRect()
    const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    return box.x >= 0 && box.right <= innerWidth && link.contains(over)
}).length"""


def test_every_entry_of_the_menu_is_in_sight_at_any_width_without_script(live_server, open_context, sign_in):
    page = sign_in(open_context(has_script=False))

    for width in (1920, 1280, 1264, 1024, 832):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.eval_on_selector_all("header .nav--row .nav__link", REACHED) == len(MAIN), width
    page.set_viewport_size({"width": 390, "height": 800})
    page.click("text=Menu")
    assert page.eval_on_selector_all("header .nav--folded .nav__link", REACHED) == len(MAIN)


def test_the_theme_that_was_chosen_stays(live_server, open_context, sign_in):
    page = sign_in(open_context())
    page.click(".bar__end summary")
    page.click("button[value=dark]")
    page.goto(f"{live_server.url}/quotes/")

    assert page.get_attribute("html", "data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 17, 22)"


def test_filters_and_forms_work_without_script(live_server, open_context, sign_in, records):
    page = sign_in(open_context(has_script=False), "analyst")
    page.goto(f"{live_server.url}/quotes/")
    page.fill("main [name=q]", "nothing-like-it")
    page.click("main form.filters button")

    assert "Nothing fits these filters" in page.content()
    page.click("text=Clear all")
    assert page.locator("tbody tr").count() == 1
    page.goto(f"{live_server.url}/workloads/new/?preset=experimentation")
    page.fill("[name=months]", "6")
    page.click("text=Save workload")
    assert page.locator("h1").inner_text() == "Experimentation"


def test_a_filter_applies_as_soon_as_it_is_chosen_and_back_takes_it_away(live_server, open_context, sign_in, records):
    page = sign_in(open_context())
    page.goto(f"{live_server.url}/quotes/")
    page.select_option("main [name=validity]", "ended")
    page.wait_for_url("**/quotes/?validity=ended")

    page.go_back()

    assert page.url == f"{live_server.url}/quotes/"


def test_targets_are_large_enough_to_hit(live_server, open_context, sign_in, records):
    page = sign_in(open_context(is_narrow=True))
    page.goto(f"{live_server.url}/builds/{records['build']}/")

    page.click("header .nav--folded > summary")
    heights = page.eval_on_selector_all(
        "main .button, main .tabs__link, header .nav__link:visible",
        "all => all.map(one => one.getBoundingClientRect().height)",
    )

    assert min(heights) >= 36


def test_paper_is_light_and_holds_the_whole_table(live_server, open_context, sign_in, records, tmp_path):
    for number in range(40):
        make_quote(sku=f"offer-{number}")
    page = sign_in(open_context(is_dark=True))
    page.goto(f"{live_server.url}/quotes/?size=100")
    page.emulate_media(media="print")

    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    is_cut_off = page.evaluate("(box => box.scrollHeight > box.clientHeight + 2)(document.querySelector('.scrollbox'))")
    page.pdf(path=tmp_path / "quotes.pdf", format="A4", landscape=True)

    assert background == "rgb(255, 255, 255)"
    assert is_cut_off is False
    assert len(PdfReader(tmp_path / "quotes.pdf").pages) >= 2
