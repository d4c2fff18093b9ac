"""The embedded PostgreSQL and Valkey of a data folder: started on demand, shared by processes, stopped by the last one.

Each process that uses the servers holds a shared lock on `servers.users`; the kernel releases it however the process
ends. Whoever ends and finds itself alone stops the servers. A server whose last user was killed lives on until the next
process adopts it. `servers.mutex` makes starting, stopping and counting one at a time.
"""

import atexit
import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from procurement.config.embedded_account import EmbeddedError, let_through
from procurement.config.embedded_postgresql import EmbeddedPostgresql
from procurement.config.embedded_valkey import EmbeddedValkey

__all__ = ["EmbeddedError", "EmbeddedServers", "servers_of"]


def make_data_folder(folder: Path) -> None:
    """Make the data folder: private, yet passable for the servers' account where root needs one."""
    if not folder.exists():
        folder.mkdir(parents=True, mode=0o700)
    let_through(folder / "any")


class EmbeddedServers:
    """The two servers of one data folder, as one process sees them.

    Parameters
    ----------
    data_folder
        The service's data folder; the servers live in `postgresql` and `valkey` under it.
    """

    def __init__(self, data_folder: Path) -> None:
        make_data_folder(data_folder)
        self.data_folder = data_folder
        self.postgresql = EmbeddedPostgresql(data_folder / "postgresql")
        self.valkey = EmbeddedValkey(data_folder / "valkey")
        self._users: int | None = None
        self._users_pid: int | None = None

    def start_postgresql(self) -> None:
        """Make sure that PostgreSQL runs, and count this process among its users."""
        with self._mutex():
            self._hold()
            self.postgresql.start()

    def start_valkey(self) -> None:
        """Make sure that Valkey runs, and count this process among its users."""
        with self._mutex():
            self._hold()
            self.valkey.start()

    def broker_url(self) -> str:
        """Return where Valkey listens or will listen; starts nothing."""
        with self._mutex():
            return self.valkey.address().url()

    def leave(self) -> None:
        """Stop using the servers; the last user stops them. Harmless to repeat, or in a forked child."""
        if self._users is None or self._users_pid != os.getpid():
            return
        if not self.data_folder.exists():  # somebody deleted it, and with it all that a server could be told by
            os.close(self._users)
            self._users = None
            return
        with self._mutex():
            try:
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass  # somebody else still uses them
            else:
                self.valkey.stop()
                self.postgresql.stop()
            os.close(self._users)
            self._users = None

    def _hold(self) -> None:
        if self._users is not None and self._users_pid == os.getpid():
            return
        self._users = os.open(self.data_folder / "servers.users", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._users_pid = os.getpid()
        fcntl.flock(self._users, fcntl.LOCK_SH)
        atexit.register(self.leave)

    @contextlib.contextmanager
    def _mutex(self) -> Iterator[None]:
        descriptor = os.open(self.data_folder / "servers.mutex", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


_known: dict[Path, EmbeddedServers] = {}


def servers_of(data_folder: Path) -> EmbeddedServers:
    """Return this process's one view of the servers of a data folder."""
    folder = data_folder.absolute()
    if folder not in _known:
        _known[folder] = EmbeddedServers(folder)
    return _known[folder]
