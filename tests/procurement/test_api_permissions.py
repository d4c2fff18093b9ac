"""Who may do what: every address x every method x every kind of person; an address that is not listed here fails."""

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from procurement.models import Decision, ImportReport, Quote, Tranche, UsageOffer, Waiver
from procurement.permissions import ROLES
from procurement.services.builds import evidence_add, promise_add
from procurement.services.jobs import job_request
from procurement.services.providers import accelerator_alias_create, site_create
from tests.factories import AS_OF, SYSTEM, actor, make_build, make_discount, make_quote, make_user, make_workload
from tests.procurement.api_tools import (
    ApiClient,
    client_of,
    make_evaluation,
    make_run,
    make_sheet,
    make_usage_file,
    new_token,
)
from tests.procurement.portfolio_runs import make_portfolio
from tests.procurement.requests_tools import opened_sample

pytestmark = pytest.mark.django_db

PEOPLE = ("anonymous", "no role", *ROLES)
EVERYBODY = set(PEOPLE)
SIGNED_IN = EVERYBODY - {"anonymous"}
READERS = set(ROLES)
ANALYST = {"analyst", "administrator"}
FACILITIES = {"facilities", "administrator"}
FINANCE = {"finance", "administrator"}
PREPARERS = {"analyst", "finance", "administrator"}
ASKERS = {"analyst", "facilities", "finance", "administrator"}
ADMINISTRATOR = {"administrator"}

READ = {"GET": READERS}
OPEN = {"GET": EVERYBODY}
QUOTE_WORK = {"GET": READERS, "POST": ANALYST}
BUILD_WORK = {"GET": READERS, "POST": FACILITIES}
ROUTES = {
    "index": OPEN, "schema": OPEN, "docs": OPEN, "reference": OPEN, "evaluate_schema": OPEN, "evaluate_example": OPEN,
    "me": {"GET": SIGNED_IN},
    "providers": QUOTE_WORK,
    "provider": {"GET": READERS, "PATCH": ANALYST, "DELETE": ANALYST},
    "provider_restore": {"POST": ANALYST},
    "sites": BUILD_WORK,
    "site": {"GET": READERS, "PATCH": FACILITIES, "DELETE": FACILITIES},
    "site_restore": {"POST": FACILITIES},
    "accelerator_aliases": {"GET": READERS, "POST": ADMINISTRATOR},
    "accelerator_alias": READ,
    "price_sheets": QUOTE_WORK,
    "price_sheet": READ, "price_sheet_file": READ, "sheet_rows": READ,
    "sheet_row_release": {"POST": ANALYST},
    "import_validate": {"POST": ANALYST}, "import_execute": {"POST": ANALYST}, "import_undo": {"POST": ANALYST},
    "import_discard": {"POST": ANALYST}, "corrections": QUOTE_WORK,
    "import_reports": READ, "import_report": READ, "import_profiles": READ,
    "quotes": QUOTE_WORK,
    "quote": {"GET": READERS, "PATCH": ANALYST, "DELETE": ANALYST},
    "quote_restore": {"POST": ANALYST},
    "quote_versions": READ, "quote_version": READ, "quote_version_changes": READ,
    "quote_price": READ, "price_history": READ, "price_history_csv": READ, "quote_prices": READ,
    "price_sources": READ, "price_nights": READ,
    "discounts": {"GET": READERS, "POST": PREPARERS},
    "discount": {"GET": READERS, "PATCH": PREPARERS, "DELETE": PREPARERS},
    "discount_restore": {"POST": PREPARERS},
    "requests": QUOTE_WORK,
    "request": {"GET": READERS, "PATCH": ANALYST},
    "request_publish": {"POST": ANALYST}, "request_extend": {"POST": ANALYST}, "request_cancel": {"POST": ANALYST},
    "request_award": {"POST": ANALYST}, "request_open": {"POST": FINANCE},
    "request_opening": READ, "request_comparison": READ, "request_comparison_csv": READ,
    "request_comparison_xlsx": READ,
    "request_invitations": QUOTE_WORK,
    "request_invitation": {"GET": READERS, "PATCH": ANALYST, "DELETE": ANALYST},
    "request_invitation_restore": {"POST": ANALYST}, "request_invitation_decline": {"POST": ANALYST},
    "request_questions": QUOTE_WORK, "request_question_answer": {"POST": ANALYST},
    "request_notices": READ, "request_letters": READ, "request_letter_sent": {"POST": ANALYST},
    "request_letter_mail": {"POST": ANALYST},
    "request_bids": QUOTE_WORK, "request_bid": READ, "request_bid_attachment": READ,
    "request_bid_withdraw": {"POST": ANALYST}, "request_bid_reject": {"POST": ANALYST},
    "builds": BUILD_WORK,
    "build": {"GET": READERS, "PATCH": FACILITIES, "DELETE": FACILITIES},
    "build_restore": {"POST": FACILITIES},
    "build_document": READ, "build_status": READ,
    "tranches": BUILD_WORK, "cost_lines": BUILD_WORK, "waivers": BUILD_WORK,
    "tranche": {"GET": READERS, "PATCH": FACILITIES, "DELETE": FACILITIES},
    "cost_line": {"GET": READERS, "PATCH": FACILITIES, "DELETE": FACILITIES},
    "waiver": {"GET": READERS, "PATCH": FACILITIES, "DELETE": FACILITIES},
    "tranche_restore": {"POST": FACILITIES}, "cost_line_restore": {"POST": FACILITIES},
    "waiver_restore": {"POST": FACILITIES},
    "evidence_list": BUILD_WORK, "evidence": READ, "evidence_confirm": {"POST": FACILITIES},
    "evidence_attachment": READ,
    "promises": BUILD_WORK, "promise": READ,
    "workloads": QUOTE_WORK,
    "workload": {"GET": READERS, "PATCH": ANALYST, "DELETE": ANALYST},
    "workload_restore": {"POST": ANALYST},
    "workload_presets": READ,
    "assumption_sets": {"GET": READERS, "POST": FINANCE},
    "assumption_set": {"GET": READERS, "PATCH": FINANCE},
    "assumption_set_in_force": READ,
    "assumption_set_put_in_force": {"POST": FINANCE},
    "runs": {"GET": READERS, "POST": ASKERS},
    "run": READ, "run_inputs": READ, "run_energization": READ, "recommendations": READ, "recommendation": READ,
    "options": READ, "availability": READ, "latest_recommendations": READ, "latest_recommendation": READ,
    "portfolios": {"GET": READERS, "POST": ASKERS}, "portfolio": READ, "portfolio_answer": READ, "allocation": READ,
    "portfolio_stop": {"POST": ASKERS},
    "usage_files": {"GET": READERS, "POST": ASKERS}, "usage_file": READ, "usage_file_file": READ, "usage_rows": READ,
    "usage_file_withdraw": {"POST": ASKERS}, "usage_row_assign": {"POST": ASKERS},
    "workload_measured": READ, "build_measured": READ, "usage_offers": READ, "usage_offer": READ,
    "usage_offer_accept": {"POST": ANALYST}, "usage_offer_decline": {"POST": ANALYST},
    "forecast_scores": READ, "track_record": READ, "learned_slips": READ, "learned_slips_propose": {"POST": FINANCE},
    "decisions": {"GET": READERS, "POST": PREPARERS},
    "decision": READ,
    "decision_approve": {"POST": FINANCE}, "decision_reject": {"POST": FINANCE},
    "decision_withdraw": {"POST": PREPARERS},
    "jobs": READ, "job": READ, "job_retry": {"POST": ADMINISTRATOR},
    "history": READ,
    "tokens": {"GET": READERS, "POST": READERS},
    "token": {"GET": READERS, "DELETE": READERS},
    "evaluate": {"POST": ASKERS},
    "evaluation": READ,
    "tables": READ, "table": READ, "table_schema": READ,
    "reports_api:reports": READ, "reports_api:report": READ,
    "reports_api:subscriptions": {"GET": READERS, "POST": ASKERS},
    "reports_api:subscription": {"GET": READERS, "PATCH": ASKERS, "DELETE": ASKERS},
    "reports_api:subscription_restore": {"POST": ASKERS}, "reports_api:subscription_test": {"POST": ASKERS},
    "reports_api:deliveries": READ, "reports_api:delivery_resend": {"POST": ASKERS},
}  # fmt: skip
# what belongs to somebody else, or is not among the samples
NOT_THERE = {"evaluation", "reports_api:report", "reports_api:subscription"}
NEEDS_SESSION = {("tokens", "POST"), ("token", "DELETE")}


def test_every_address_and_method_of_the_interface_is_in_the_matrix():
    assert dict(_offered()) == {name: set(methods) for name, methods in ROUTES.items()}


@pytest.mark.parametrize("person", PEOPLE)
def test_everybody_may_do_what_their_role_says_and_nothing_else(person):
    samples = _samples()
    client = _client(person)
    wrong = []

    for name, methods in ROUTES.items():
        for method, allowed in methods.items():
            own = {"token": {"key": client.token.key}} if (name, method) == ("token", "GET") and client.user else {}
            status = _asked(client, method, name, {**samples, **own})
            refused = 401 if person == "anonymous" else 403
            is_right = status == refused if person not in allowed else status not in (401, 403) and status < 500
            if method == "GET" and person in allowed and name not in NOT_THERE:
                is_right = status == 200
            if not is_right:
                wrong.append((name, method, status))

    assert wrong == []


def test_a_refused_person_changes_nothing():
    quote = make_quote(price="3.00")

    reply = client_of("viewer").patch(f"quotes/{quote.code}/", {"price": "1.00"}, If_Match='"1"')

    assert reply.status_code == 403
    assert "analyst" in reply.json()["detail"]
    assert Quote.objects.count() == 1


def test_the_evaluation_of_somebody_else_is_not_found():
    mine = make_evaluation(make_user("me", role="analyst"))

    assert client_of("analyst", "me").get(f"evaluations/{mine.pk}/").status_code == 200
    assert client_of("administrator", "you").get(f"evaluations/{mine.pk}/").status_code == 404


def test_the_token_of_somebody_else_is_not_found():
    token, _ = new_token(make_user("me", role="analyst"))

    assert client_of("analyst", "you").get(f"tokens/{token.key}/").status_code == 404
    assert client_of("analyst", "me").get(f"tokens/{token.key}/").status_code == 200


def _offered():
    found = []

    def walk(patterns, prefix, namespace):
        for entry in patterns:
            address = prefix + str(entry.pattern)
            if isinstance(entry, URLResolver):
                walk(entry.url_patterns, address, entry.namespace or namespace)
            elif isinstance(entry, URLPattern) and address.startswith("api/v1/"):
                view = entry.callback.view_class
                methods = {m.upper() for m in ("get", "post", "put", "patch", "delete") if hasattr(view, m)}
                name = entry.name if namespace == "api" else f"{namespace}:{entry.name}"
                found.append((name, methods))

    walk(get_resolver().url_patterns, "", "")
    return found


def _client(person: str) -> ApiClient:
    if person == "anonymous":
        return ApiClient(None)
    return client_of(None if person == "no role" else person)


def _asked(client: ApiClient, method: str, name: str, samples: dict) -> int:
    address = reverse(name if ":" in name else f"api:{name}", kwargs=samples.get(name))
    if client.user is not None and (name, method) in NEEDS_SESSION:
        browser = Client()
        browser.force_login(client.user)
        return browser.generic(method, address, b"{}", content_type="application/json").status_code
    reply = client.ask(method, address, {} if method in ("POST", "PATCH") else None)
    if reply.streaming:
        b"".join(reply.streaming_content)  # to the end, so that its file is closed
    return reply.status_code


def _samples() -> dict:
    made = make_run()
    quote = make_quote(code="acme-h100")
    discount = make_discount()
    workload = make_workload()
    build = make_build(is_ready=False)
    statement = {"gate": "installed", "qty": 64, "grade": "A", "observed_on": AS_OF, "source": "rack list"}
    evidence = evidence_add(by=actor(), build=build, values=statement)
    with_file = evidence_add(by=actor(), build=build, values=statement, attachment=("racks.pdf", b"x"))
    promise = promise_add(
        by=actor(), build=build, values={"gate": "powered", "date": "2027-06-01", "stated_on": "2026-11-01"}
    )
    sheet = make_sheet()
    usage = make_usage_file()
    offer = UsageOffer.objects.create(workload=workload, field="demand", measured={"utilisation": 0.5})
    decision = Decision.objects.create(
        code="D-2026-0001", run=made.run, workload_code="serve", option="on_prem:hall-1", amount="1", currency="USD",
        valid_until=AS_OF, inputs_digest=made.answer.digest, prepared_by=make_user("preparer", role="analyst"),
    )  # fmt: skip
    job = job_request(kind="recompute", dedupe_key="recompute")
    site = site_create(by=SYSTEM, values={"code": "north", "name": "North"})
    alias = accelerator_alias_create(by=SYSTEM, values={"alias": "H100 80GB", "accelerator": "H100-SXM"})
    token, _ = new_token(make_user("someone", role="viewer"))
    made.run.assumption_set.is_in_force = True
    made.run.assumption_set.save()
    ofrun, of_build = {"id": made.run.pk}, {"code": build.code}
    of_answer = {**ofrun, "workload": workload.code}
    part = {
        "tranche": Tranche.objects.get(build=build).pk,
        "cost_line": build.costs.first().pk,
        "waiver": Waiver.objects.filter(build=build).first().pk,
    }
    samples = {
        "accelerator_alias": {"id": alias.pk},
        "price_sheet": {"id": sheet.pk}, "price_sheet_file": {"id": sheet.pk}, "sheet_rows": {"id": sheet.pk},
        "sheet_row_release": {"id": sheet.pk, "row_id": sheet.rows.get().pk},
        "quote": {"code": quote.code}, "quote_restore": {"code": quote.code}, "quote_versions": {"code": quote.code},
        "quote_version": {"code": quote.code, "number": 1},
        "quote_version_changes": {"code": quote.code, "number": 1},
        "quote_price": {"code": quote.code}, "price_history": {"code": quote.code},
        "price_history_csv": {"code": quote.code},
        "discount": {"code": discount.code}, "discount_restore": {"code": discount.code},
        "evidence": {**of_build, "id": evidence.pk}, "evidence_confirm": {**of_build, "id": evidence.pk},
        "evidence_attachment": {**of_build, "id": with_file.pk},
        "promise": {**of_build, "id": promise.pk},
        "assumption_set": {"id": made.run.assumption_set_id},
        "assumption_set_put_in_force": {"id": made.run.assumption_set_id},
        "run": ofrun, "run_inputs": ofrun, "run_energization": ofrun, "recommendations": ofrun,
        "recommendation": of_answer, "options": of_answer, "availability": of_answer,
        "latest_recommendation": {"workload": workload.code},
        "job": {"id": job.pk}, "job_retry": {"id": job.pk},
        "token": {"key": token.key},
        "evaluation": {"evaluation_id": make_evaluation(make_user("someone")).pk},
        "table": {"table": "quotes"}, "table_schema": {"table": "options"},
    }  # fmt: skip
    for name in ("import_validate", "import_execute", "import_undo", "import_discard", "corrections", "import_reports"):
        samples[name] = {"id": sheet.pk}
    report = ImportReport.objects.create(sheet=sheet, kind="validation", is_ok=True)
    samples["import_report"] = {"id": sheet.pk, "report_id": report.pk}
    portfolio = make_portfolio(made.run)
    for name in ("portfolio", "portfolio_answer", "allocation", "portfolio_stop"):
        samples[name] = {"id": portfolio.pk}
    samples |= _request_samples()
    for name in ("decision", "decision_approve", "decision_reject", "decision_withdraw"):
        samples[name] = {"code": decision.code}
    for name, record in (("provider", quote.provider), ("site", site), ("workload", workload)):
        samples[name] = samples[f"{name}_restore"] = {"code": record.code}
    for name in ("build", "build_restore", "build_document", "build_status", "tranches", "cost_lines", "waivers"):
        samples[name] = of_build
    for name in ("usage_file", "usage_file_file", "usage_file_withdraw", "usage_rows"):
        samples[name] = {"id": usage.pk}
    samples["usage_row_assign"] = {"id": usage.pk, "row_id": usage.rows.get().pk}
    samples |= {"workload_measured": {"code": workload.code}, "build_measured": of_build}
    for name in ("usage_offer", "usage_offer_accept", "usage_offer_decline"):
        samples[name] = {"id": offer.pk}
    samples["evidence_list"] = samples["promises"] = of_build
    for name in ("subscription", "subscription_restore", "subscription_test", "delivery_resend"):
        samples[f"reports_api:{name}"] = {"id": 1}
    samples["reports_api:report"] = {"key": "no_such_report"}
    for name, key in part.items():
        samples[name] = samples[f"{name}_restore"] = {**of_build, "id": key}
    return samples


def _request_samples() -> dict:
    quote_request = opened_sample()
    of_request = {"code": quote_request.code}
    names = ("", "_publish", "_extend", "_cancel", "_award", "_open", "_opening", "_comparison", "_comparison_csv",
             "_comparison_xlsx", "_invitations", "_questions", "_notices", "_letters", "_bids")  # fmt: skip
    samples = {f"request{name}": of_request for name in names}
    parts = {
        "invitation": (quote_request.invitations.first(), ("", "_restore", "_decline")),
        "question": (quote_request.asked_questions.first(), ("_answer",)),
        "letter": (quote_request.notices.first().letters.first(), ("_sent", "_mail")),
        "bid": (quote_request.bids.first(), ("", "_attachment", "_withdraw", "_reject")),
    }
    for part, (record, endings) in parts.items():
        samples |= {f"request_{part}{ending}": {**of_request, "id": record.pk} for ending in endings}
    return samples
