"""People with tokens who ask the interface, and the one sample of everything that its addresses name."""

import base64
import json
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from procurement.models import (
    Answer,
    AvailabilityRow,
    ComponentRow,
    EnergizationRow,
    Evaluation,
    MonthRow,
    OptionRow,
    PriceSheet,
    Run,
    RunAnswer,
    RunState,
    SheetRow,
    SheetRowState,
    SheetState,
    UsageFile,
    UsageRow,
    UsageRowState,
    UsageState,
)
from procurement.services.accounts import token_create
from procurement.services.actors import Actor
from tests.factories import AS_OF, make_assumptions, make_user

API = "/api/v1"
EVERYTHING = ("*:read", "*:write")


class ApiClient:
    """Somebody who asks with a token; bodies are JSON, replies are read as JSON."""

    def __init__(self, user: User | None, *, scopes: tuple[str, ...] = EVERYTHING) -> None:
        self.user = user
        self.client = Client()
        self.headers: dict[str, str] = {}
        if user is not None:
            self.token, self.secret = new_token(user, scopes)
            self.headers = {"Authorization": f"Bearer {self.token.key}.{self.secret}"}

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send one request; header names are written with underscores."""
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        address = path if path.startswith("/") else f"{API}/{path}"
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        content_type = sent.pop("Content-Type", "application/json")
        return self.client.generic(method, address, content, content_type=content_type, headers=sent)

    def get(self, path: str, **headers: str) -> Any:
        """Read."""
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Create or act."""
        return self.ask("POST", path, {} if body is None else body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        """Change."""
        return self.ask("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        """Take out of use."""
        return self.ask("DELETE", path, **headers)

    def upload(self, path: str, fields: dict[str, Any], **headers: str) -> Any:
        """Send a form with a file."""
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.client.post(f"{API}/{path}", fields, headers=sent)


def new_token(user: User, scopes: tuple[str, ...] = EVERYTHING) -> Any:
    """Return a token, made by the service itself so that somebody without a role has one too."""
    token, secret = token_create(by=Actor(user=make_user("maker"), source="command"), name="test", scopes=scopes)
    token.user = user
    token.save()
    return token, secret


def client_of(role: str | None, name: str = "") -> ApiClient:
    """Return somebody of that role, signed in with a token."""
    return ApiClient(make_user(name or (role or "nobody"), role=role))


def basic(key: str, secret: str) -> str:
    """Return the header of Basic."""
    return "Basic " + base64.b64encode(f"{key}:{secret}".encode()).decode()


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run with one workload, one quote, two options."""

    run: Run
    answer: Answer


def make_run(*, workload: str = "serve", quote: str = "acme-h100", build: str = "hall-1") -> FinishedRun:
    """Return a finished run, written as the services write it."""
    run = Run.objects.create(
        inputs={"schema": "scenario/1", "as_of": AS_OF.isoformat()}, inputs_digest=f"{Run.objects.count():064x}",
        engine_version="1", as_of=AS_OF, currency="USD", assumption_set=make_assumptions(is_in_force=False),
        state=RunState.FINISHED, last_asked_at=timezone.now(), finished_at=timezone.now(), workload_count=1,
    )  # fmt: skip
    EnergizationRow.objects.create(
        run=run, build_code=build, operator="own", planned_accelerators=64, energization_status="energized",
        availability_status="usable", usable_accelerators=64, forecast_status="done", readiness={}, forecast={},
    )  # fmt: skip
    answer = Answer.objects.create(
        digest=f"{Answer.objects.count():064x}", workload_code=workload, workload_name="Serve", currency="USD",
        is_complete=True, verdict="on_prem", option=f"on_prem:{build}", runner_up=f"cloud:{quote}", how_sure="high",
        npv="919667.96", cost_per_accelerator_hour="2.5", cost_per_useful_accelerator_hour="2.75",
        approval_amount="461567.50", recommendation={"reasons": [{"code": "cheaper_owned", "saving": "4258321.57"}]},
    )  # fmt: skip
    RunAnswer.objects.create(run=run, answer=answer, workload_code=workload)
    AvailabilityRow.objects.create(answer=answer, quote_code=quote, verdict="bookable", reasons=[], detail={})
    for position, (option, npv) in enumerate(((f"on_prem:{build}", "919667.96"), (f"cloud:{quote}", "5177989.53"))):
        row = OptionRow.objects.create(
            answer=answer, position=position, option=option, kind=option.split(":")[0], is_feasible=True, npv=npv,
            nominal_cost="1013447.50", capital="461567.50", operating="458100.46",
        )  # fmt: skip
        ComponentRow.objects.create(option=row, component="hardware", amount="461567.50")
        MonthRow.objects.create(option=row, month=0, amount="461567.50")
        MonthRow.objects.create(option=row, month=1, amount="-12.60")
    return FinishedRun(run, answer)


def make_sheet(*, state: SheetState = SheetState.IMPORTED) -> PriceSheet:
    """Return a price sheet with one held row."""
    sheet = PriceSheet(
        file_name="prices.csv", content_sha256="0" * 64, source="portal", observed_on=AS_OF, state=state, rows_held=1
    )
    sheet.file.save("prices.bin", ContentFile(b"id,price\r\n"), save=False)
    sheet.save()
    reasons = [{"code": "unknown_accelerator", "message": "not known", "release": "name it"}]
    SheetRow.objects.create(sheet=sheet, line=2, state=SheetRowState.HELD, raw={"id": "q1"}, reasons=reasons)
    return sheet


def make_usage_file() -> UsageFile:
    """Return a file of measured use with one name that is not known."""
    file = UsageFile(file_name="jobs.txt", content_sha256="1" * 64, source="slurmdbd", state=UsageState.IMPORTED)
    file.file.save("jobs.bin", ContentFile(b"JobID|State\n"), save=False)
    file.save()
    held = {"state": UsageRowState.HELD, "code": "unknown_workload", "value": "grp17", "message": "not on record"}
    UsageRow.objects.create(file=file, line=2, **held)
    return file


def make_evaluation(user: User) -> Evaluation:
    """Return an evaluation that somebody asked for."""
    return Evaluation.objects.create(document={}, answer={"engine_version": "1"}, requested_by=user)
