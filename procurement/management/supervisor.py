"""One supervisor for web, worker and scheduler: starts them, starts them again, ends them."""

import contextlib
import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import redis
import structlog
from django.conf import settings
from django.core.management import CommandError
from django.db import Error as DatabaseFault
from django.db import connection
from django.utils import timezone

from procurement.management.processes import POLL_SECONDS, Child, Roster, wait_for_end
from procurement.selectors.jobs import signs_of_life

log = structlog.get_logger(__name__)

GRACE_SECONDS = 20
SETTLED_SECONDS = 60
LONGEST_PAUSE_SECONDS = 30
SERVER_CHECK_SECONDS = 2
SILENCE_SECONDS = 90


def web(*, host: str, port: int) -> Child:
    """Return the web server. Keep-alive is longer than that of proxies, so that none of them meets a closing door."""
    command = [
        sys.executable, "-m", "gunicorn", "procurement.config.wsgi:application", "--bind", f"{host}:{port}",
        "--worker-class", "gthread", "--workers", str(settings.WEB_WORKERS), "--threads", "8", "--keep-alive", "75",
        "--timeout", "60", "--graceful-timeout", "15", "--log-level", "warning", "--no-control-socket", "--preload",
    ]  # fmt: skip
    return Child("web", command)


def worker() -> Child:
    """Return the Celery worker."""
    return Child("worker", [*_celery(), "worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"])


def scheduler() -> Child:
    """Return the Celery scheduler."""
    return Child("scheduler", [*_celery(), "beat", "--loglevel", "WARNING", "--pidfile="])


def _celery() -> list[str]:
    # Celery warns those who work as root; in a container that is how it is, and the servers have accounts of their own.
    return [
        sys.executable,
        "-W",
        "ignore:You're running the worker",
        "-m",
        "celery",
        "--quiet",
        "-A",
        "procurement.config",
    ]


def require_free_port(host: str, port: int) -> None:
    """Refuse a port that somebody else listens on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as fault:
            raise CommandError(
                f"Port {port} of {host} cannot be used: {fault.strerror}. "
                f"Choose another one, for example: PORT={port + 1 if port < 65535 else 8000}"
            ) from fault


class Supervisor:
    """Keeps its children running until it is told to stop.

    Use it as a context manager: on leaving, every child has ended. A second supervisor of the same data folder is
    refused; what a killed one left behind is ended first.
    """

    def __init__(self, data_folder: Path) -> None:
        self.children: list[Child] = []
        self.roster = Roster(data_folder / "serve.json")
        self.lock_path = data_folder / "serve.lock"
        self.is_stopping = False
        self._lock: int | None = None
        self._servers_due = 0.0

    def __enter__(self) -> "Supervisor":
        self._lock = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise CommandError(
                f"The service of {self.lock_path.parent} already runs. Stop it first (Ctrl-C where it was started), "
                "or choose another folder and port: DATA_DIR=... PORT=..."
            ) from None
        left = self.roster.end_leftovers()
        if left:
            log.warning("ended what a killed supervisor had left", processes=left)
        self._keep_servers()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
        if self._lock is not None:
            os.close(self._lock)

    def add(self, child: Child) -> None:
        """Start a child and keep it running from now on."""
        self.children.append(child)
        child.start(os.environ)
        self.roster.write(self.children)

    def run_until(self, is_over: Callable[[], bool], *, patience: float) -> bool:
        """Keep everything running until something has happened; False after the patience or when told to stop."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and not self.is_stopping:
            if is_over():
                return True
            self._care()
            time.sleep(POLL_SECONDS)
        return False

    def run(self) -> None:
        """Keep everything running until told to stop."""
        while not self.is_stopping:
            self._care()
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """End all children: asked first, killed when they do not listen, with whatever they started."""
        with self._second_signal_is_impatient():
            for child in self.children:
                child.ask_to_end()
            wait_for_end(self.children, patience=GRACE_SECONDS)
        for child in self.children:
            child.kill()
        self.children.clear()
        self.roster.path.unlink(missing_ok=True)

    def _care(self) -> None:
        now = time.monotonic()
        for child in self.children:
            if child.is_running:
                continue
            if child.restart_at == 0.0:
                self._plan_restart(child)
            elif now >= child.restart_at:
                child.restart_at = 0.0
                child.start(os.environ)
                self.roster.write(self.children)
        if now >= self._servers_due:
            self._servers_due = now + SERVER_CHECK_SECONDS
            self._keep_servers()
            self._wake_silent_worker()

    def _plan_restart(self, child: Child) -> None:
        child.kill()  # its own children, if it left any
        child.restarts = 0 if child.age_seconds > SETTLED_SECONDS else child.restarts + 1
        pause = min(2.0 ** max(child.restarts - 1, 0), LONGEST_PAUSE_SECONDS)
        child.restart_at = time.monotonic() + pause
        status = child.process.returncode if child.process else None
        log.error("a process ended and is started again", process=child.name, status=status, pause_seconds=pause)

    def _keep_servers(self) -> None:
        """Start embedded servers that are not running; others are somebody else's."""
        servers = settings.EMBEDDED_SERVERS
        if not settings.DATABASE_URL:
            servers.start_postgresql()
        if not settings.REDIS_URL:
            before = servers.valkey.address()
            servers.start_valkey()
            if servers.valkey.address() != before:
                log.warning("the broker has a new port; everything is started again to learn it")
                for child in self.children:
                    child.ask_to_end()

    def _wake_silent_worker(self) -> None:
        """Start a worker anew that lives but has stopped working though the broker answers."""
        for child in self.children:
            if child.name != "worker" or not child.is_running or child.age_seconds < SILENCE_SECONDS:
                continue
            if _silence_of("worker") > SILENCE_SECONDS and _is_broker_answering():
                log.error("the worker gives no sign of life and is started again", silent_seconds=SILENCE_SECONDS)
                child.kill()

    def _on_signal(self, number: int, frame: object) -> None:
        self.is_stopping = True

    @contextlib.contextmanager
    def _second_signal_is_impatient(self) -> Iterator[None]:
        def kill_now(number: int, frame: object) -> None:
            for child in self.children:
                child.kill()

        before = {number: signal.signal(number, kill_now) for number in (signal.SIGTERM, signal.SIGINT)}
        yield
        for number, handler in before.items():
            signal.signal(number, handler)


def _silence_of(name: str) -> float:
    """Return for how many seconds somebody has given no sign of life; 0 when that cannot be known."""
    try:
        beat = signs_of_life(now=timezone.now()).get(name)
    except DatabaseFault:
        connection.close()
        return 0.0
    return beat.age_seconds if beat is not None else float("inf")


def _is_broker_answering() -> bool:
    try:
        with redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=0.5, socket_connect_timeout=0.5) as broker:
            return bool(broker.ping())
    except redis.RedisError:
        return False
