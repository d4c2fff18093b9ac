"""Requests made up from the OpenAPI file: none ends in a 500, every reply is one that the file describes (T60).

Not asked for: `positive_data_acceptance` (the engine's rules go beyond a JSON schema), `use_after_free` and
`ensure_resource_availability` (a record that is taken out of use stays readable).
"""

import contextlib
from collections.abc import Iterator

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from procurement.api.openapi import OPENAPI_FILE
from procurement.config.wsgi import application
from procurement.services.builds import evidence_add
from tests.factories import AS_OF, actor, make_build, make_quote, make_user, make_workload
from tests.procurement.api_tools import make_run, make_sheet, new_token
from tests.procurement.requests_tools import opened_sample

pytestmark = pytest.mark.fuzz

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance, negative_data_rejection, missing_required_header, unsupported_method,
    allow_header_conformance, ignored_auth,
]  # fmt: skip
EXAMPLES = 3  # for each of some 120 operations
REFUSED = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428"]

config = schemathesis.Config.from_dict(
    {
        "checks": {
            "negative_data_rejection": {"expected-statuses": REFUSED},
            "missing_required_header": {"expected-statuses": REFUSED},
        }
    }
)
schema = schemathesis.openapi.from_path(OPENAPI_FILE, config=config)


def _closing(environ, start_response):
    """Answer like the service, and close the reply as every server does."""
    reply = application(environ, start_response)
    try:
        return [b"".join(reply)]
    finally:
        reply.close()


schema.app = _closing


@pytest.fixture
def one_transaction(settings) -> Iterator[None]:
    """Keep the connection of the test open over all requests, and the limit of requests out of the way."""
    settings.API_REQUESTS_PER_MINUTE = 1_000_000
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def _samples() -> dict:
    made, secret = new_token(make_user("fuzzer", role="administrator"))
    run = make_run().run
    quote, workload, build = make_quote(code="acme-h100"), make_workload(), make_build(is_ready=False)
    statement = {"gate": "installed", "qty": 64, "grade": "A", "observed_on": AS_OF, "source": "rack list"}
    ids = {
        "runs": run.pk, "price-sheets": make_sheet().pk, "assumption-sets": run.assumption_set_id,
        "tranches": build.tranches.get().pk, "costs": build.costs.first().pk, "waivers": build.waived.first().pk,
        "evidence": evidence_add(by=actor(), build=build, values=statement).pk,
    }  # fmt: skip
    asked = opened_sample()
    ids |= {
        "invitations": asked.invitations.first().pk, "questions": asked.asked_questions.first().pk,
        "letters": asked.notices.first().letters.first().pk, "bids": asked.bids.first().pk,
    }  # fmt: skip
    codes = {
        "requests": asked.code,
        "providers": "acme",
        "quotes": quote.code,
        "builds": build.code,
        "workloads": workload.code,
    }
    return {"token": f"Bearer {made.key}.{secret}", "ids": ids, "codes": codes, "workload": workload.code}


@pytest.mark.django_db
def test_t60_made_up_requests_are_answered_as_described(one_transaction):
    known = _samples()
    failures = []

    for operation in (result.ok() for result in schema.get_all_operations()):
        for mode in GenerationMode:
            try:
                _asked(operation, mode, known)
            except FailureGroup as group:
                failures.append(f"{operation.label}: {group}")

    assert not failures, "\n\n".join(failures)


def _asked(operation, mode, known) -> None:
    @given(operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def ask(case):
        headers = {"Authorization": known["token"]}
        case.call_and_validate(headers=headers, checks=CHECKS)
        if mode.is_positive and _put_known(case, known):
            case.call_and_validate(headers=headers, checks=[not_a_server_error, status_code_conformance])

    with contextlib.suppress(Unsatisfiable):  # nothing can be wrong with an operation that takes nothing
        ask()


def _put_known(case, known) -> bool:
    """Put codes and ids that exist into the address; tell whether there was one to put."""
    parts = case.operation.path.replace(".csv", "").strip("/").split("/")
    changed = False
    for name in case.path_parameters or ():
        before = parts[parts.index(f"{{{name}}}") - 1]
        value = {"id": known["ids"].get(before), "code": known["codes"].get(before)}.get(name, known.get(name))
        if value is not None:
            case.path_parameters[name] = value
            changed = True
    return changed
