"""Real workers and schedulers on a real broker and database, that can be killed; and the ledger at the end."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from django.db import connection

from procurement.config.embedded_valkey import EmbeddedValkey
from procurement.models import Job, JobStatus
from procurement.services.jobs import job_request

PROJECT = Path(__file__).resolve().parents[2]
LEASE_SECONDS = 2
RECONCILE_SECONDS = 1


def database_url():
    """Return the URL of the test database, for other processes."""
    entry = connection.settings_dict
    people = f"{quote(entry['USER'])}:{quote(entry['PASSWORD'] or '')}@" if entry["USER"] else ""
    query = {"host": entry["HOST"] or "localhost"} | ({"port": entry["PORT"]} if entry["PORT"] else {})
    return f"postgresql://{people}/{entry['NAME']}?{urlencode(query)}"


class Fleet:
    """Processes of the service, each in a session of its own, on a broker of their own."""

    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        self.broker = EmbeddedValkey(folder / "valkey")
        self.folder = folder
        self.processes = []
        sys.stdout.write(f"seed {seed}\n")

    def __enter__(self):
        self.broker.start()
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS chaos_effect")
            cursor.execute("CREATE TABLE chaos_effect (id bigserial PRIMARY KEY, job_id bigint NOT NULL)")
        return self

    def __exit__(self, *exception):
        for process in self.processes:
            self.kill(process)
        self.broker.stop()
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE chaos_effect")

    def environment(self, **changes):
        return os.environ | {
            "DATABASE_URL": database_url(),
            "REDIS_URL": self.broker.address().url(),
            "DATA_DIR": str(self.folder / "data"),
            "JOB_LEASE_SECONDS": str(LEASE_SECONDS),
            "JOB_BACKOFF_SECONDS": "1",
            "RECONCILE_SECONDS": str(RECONCILE_SECONDS),
            "LOG_LEVEL": "WARNING",
            "PYTHONUNBUFFERED": "1",
            **changes,
        }

    def start(self, *arguments, **environment):
        """Start `python -m ...` and return the process."""
        log = (self.folder / f"process-{len(self.processes)}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], cwd=PROJECT, env=self.environment(**environment),
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        log.close()
        self.processes.append(process)
        return process

    def worker(self, *, children=2, **environment):
        return self.start(
            "celery", "--quiet", "-A", "tests.chaos.worker", "worker", "--loglevel", "WARNING", "--without-gossip",
            "--without-mingle", "--concurrency", str(children), **environment,
        )  # fmt: skip

    def scheduler(self):
        return self.start(
            "celery", "--quiet", "-A", "tests.chaos.worker", "beat", "--loglevel", "WARNING", "--pidfile="
        )

    def kill(self, process):
        """Kill -9 the whole session of a process."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)

    def kill_broker(self, number):
        """End the broker with a signal, with all that it remembers, and start it again on its port."""
        pid = int((self.broker.folder / "valkey.pid").read_text(encoding="utf-8"))
        os.kill(pid, number)
        while self.broker.is_running():
            time.sleep(0.02)
        for path in (self.broker.folder / "appendonlydir").glob("*"):
            path.unlink()
        time.sleep(self.random.uniform(0.1, 0.6))
        self.broker.start()

    def logs(self):
        return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in self.folder.glob("*.log"))


def ask(kind, count, **args):
    """Write job rows as a change would, without ringing the bell: the reconciler must find them."""
    begin = Job.objects.count()
    for number in range(begin, begin + count):
        job_request(kind=kind, dedupe_key=f"{kind}:{number}", args=args)


def wait_until(condition, *, seconds):
    """Wait for something; False when it did not happen in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


def open_jobs():
    return Job.objects.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING)).exclude(kind="clock_tick").count()


@dataclass(frozen=True)
class Ledger:
    """What was asked against what was done."""

    asked: int
    done: int
    dead: int
    lost: int
    doubled: int


def ledger(*kinds):
    """Count the jobs of kinds that leave an effect: asked = done + dead, one effect for each that is done."""
    jobs = Job.objects.filter(kind__in=kinds)
    with connection.cursor() as cursor:
        cursor.execute("SELECT job_id, count(*) FROM chaos_effect GROUP BY job_id")
        effects = dict(cursor.fetchall())
    done = set(jobs.filter(status=JobStatus.DONE).values_list("pk", flat=True))
    asked = jobs.count()
    return Ledger(
        asked=asked,
        done=len(done),
        dead=jobs.filter(status=JobStatus.DEAD).count(),
        lost=len(done - set(effects)) + asked - jobs.filter(status__in=(JobStatus.DONE, JobStatus.DEAD)).count(),
        doubled=sum(count - 1 for count in effects.values()) + len(set(effects) - done),
    )
