"""Probes: /livez says that the process answers, /readyz whether the service can do its work and what hinders it."""

from dataclasses import asdict, dataclass

import redis
import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from procurement.selectors.jobs import jobs_alarming, jobs_oldest_due_at, signs_of_life
from procurement.services.jobs import heartbeat_write

log = structlog.get_logger(__name__)

OK = "ok"
DEGRADED = "degraded"  # pages work, recomputation waits: no reason to take the process out of service
DOWN = "down"
SILENCE_SECONDS = 60
WAITING_SECONDS = 120
_applied: list[bool] = []


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    name: str
    state: str
    detail: str


@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """Answer as long as the process lives; asks nobody else."""
    return JsonResponse({"status": OK})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when pages can be served, 503 when not; `status` and `checks` say what is wrong."""
    findings = _database_findings()
    findings.append(_broker_finding())
    states = {finding.state for finding in findings}
    status = DOWN if DOWN in states else DEGRADED if DEGRADED in states else OK
    body = {"status": status, "checks": [asdict(finding) for finding in findings]}
    return JsonResponse(body, status=503 if status == DOWN else 200)


def _database_findings() -> list[Finding]:
    try:
        heartbeat_write(name="probe")
        findings = [Finding("database", OK, "can be written"), _migrations_finding()]
        if findings[-1].state == OK:
            findings += [_life_finding("worker"), _life_finding("scheduler"), _queue_finding(), _alarm_finding()]
    except DatabaseFault as fault:
        log.error("readiness: database fails", error=str(fault))
        return [Finding("database", DOWN, f"cannot be written ({type(fault).__name__})")]
    return findings


def _migrations_finding() -> Finding:
    if _is_migrated():
        return Finding("migrations", OK, "all applied")
    return Finding("migrations", DOWN, "some are not applied; run manage.py migrate")


def _is_migrated() -> bool:
    """Whether the database has every migration of this code; asked until it has, for that does not change again."""
    if not _applied:
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            _applied.append(True)
    return bool(_applied)


def _life_finding(name: str) -> Finding:
    beat = signs_of_life(now=timezone.now()).get(name)
    if beat is None:
        return Finding(name, DEGRADED, "has not been seen yet")
    state = OK if beat.age_seconds <= SILENCE_SECONDS else DEGRADED
    return Finding(name, state, f"last seen {beat.age_seconds:.0f} s ago")


def _queue_finding() -> Finding:
    since = jobs_oldest_due_at()
    if since is None:
        return Finding("queue", OK, "nothing waits")
    age = (timezone.now() - since).total_seconds()
    return Finding("queue", OK if age <= WAITING_SECONDS else DEGRADED, f"the oldest due job has waited {age:.0f} s")


def _alarm_finding() -> Finding:
    count = jobs_alarming().count()
    return Finding("jobs", OK if not count else DEGRADED, f"{count} failed or dead and not acknowledged")


def _broker_finding() -> Finding:
    try:
        with redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=0.5, socket_connect_timeout=0.5) as broker:
            broker.ping()
    except redis.RedisError as fault:
        return Finding("broker", DEGRADED, f"does not answer ({type(fault).__name__}); jobs wait in the database")
    return Finding("broker", OK, "answers")
