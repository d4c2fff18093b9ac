"""`manage.py serve`: web, worker and scheduler under one supervisor, until Ctrl-C."""

from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from procurement.management.supervisor import Supervisor, require_free_port, scheduler, web, worker

START_SECONDS = 120


class Command(BaseCommand):
    """Serve until Ctrl-C or SIGTERM; a process that ends is started again."""

    help = "Run web server, worker and scheduler together. PORT and HOST choose the address; Ctrl-C ends them all."

    def handle(self, *args: Any, **options: Any) -> None:
        """Start everything, say where it is, keep it running."""
        with Supervisor(settings.DATA_DIR) as supervisor:
            require_free_port(settings.HOST, settings.PORT)
            _require_migrated()
            serve_until_told(supervisor, self)


def start_web(supervisor: Supervisor) -> None:
    """Collect what pages refer to, and start the web server."""
    call_command("collectstatic", interactive=False, verbosity=0)
    supervisor.add(web(host=settings.HOST, port=settings.PORT))


def serve_until_told(supervisor: Supervisor, command: BaseCommand) -> None:
    """Add what is missing to a supervisor, announce the address when it answers, and keep all of it running."""
    running = {child.name for child in supervisor.children}
    if "web" not in running:
        start_web(supervisor)
    if "worker" not in running:
        supervisor.add(worker())
    if supervisor.run_until(_is_answering, patience=START_SECONDS):
        command.stdout.write(f"\nServing on {settings.PUBLIC_URL} - Ctrl-C ends it.")
        command.stdout.flush()
    elif not supervisor.is_stopping:
        raise CommandError(f"The web server did not answer within {START_SECONDS} seconds; its log is above.")
    if not supervisor.is_stopping:
        supervisor.add(scheduler())
    supervisor.run()
    command.stdout.write("Stopping ...")


def _require_migrated() -> None:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("The database is not up to date. Run: manage.py migrate")


def _is_answering() -> bool:
    host = "127.0.0.1" if settings.HOST in {"0.0.0.0", "::"} else settings.HOST
    try:
        with urlopen(f"http://{host}:{settings.PORT}/livez", timeout=2) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
