"""The supervisor, as a person at a terminal meets it."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest

from procurement.config.embedded_valkey import free_port

PROJECT = Path(__file__).resolve().parents[2]

PATIENCE_SECONDS = 120  # a quiet machine needs a tenth of it

pytestmark = pytest.mark.services


class Service:
    """`manage.py` on a data folder and port of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.started = []
        keep = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        self.environment = keep | {"DATA_DIR": str(folder), "PORT": str(self.port), "WEB_WORKERS": "1"}

    def manage(self, *arguments):
        return subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=PROJECT, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip

    def serve(self):
        log = (self.folder.parent / f"serve-{len(self.started)}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], cwd=PROJECT, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        log.close()
        self.started.append(process)
        return process

    def answer(self, path):
        try:
            with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return json.loads(answer.read())
        except (URLError, OSError):
            return None

    def wait_for(self, condition, seconds=PATIENCE_SECONDS):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return True
            time.sleep(0.2)
        return False

    def is_all_well(self):
        state = self.answer("/readyz")
        return state is not None and state["status"] == "ok"

    def pids(self):
        """Return the processes of worker, PostgreSQL and Valkey as far as they are there."""
        worker = self.child("worker")
        files = [self.folder / name for name in ("postgresql/postmaster.pid", "valkey/valkey.pid")]
        found = [int(file.read_text().splitlines()[0]) for file in files if file.exists() and file.read_text()]
        return found if worker is None else [worker.pid, *found]

    def processes(self):
        """Return every process that works in or for the data folder."""
        found = []
        for process in psutil.process_iter():
            try:
                words = " ".join(process.cmdline())
                mine = str(self.folder) in words or process.environ().get("DATA_DIR") == str(self.folder)
            except psutil.Error:
                continue
            if mine and process.pid != os.getpid():
                found.append(process)
        return found

    def child(self, word):
        return next((process for process in self.processes() if {word, "celery"} <= set(process.cmdline())), None)

    def logs(self):
        logs = [path.read_text(errors="replace") for path in self.folder.parent.glob("serve-*.log")]
        return "\n".join([*logs, str(self.answer("/readyz"))])


@pytest.fixture(scope="module")
def migrated_folder():
    """Return a data folder whose database is up to date and at rest: each test begins with a copy."""
    with tempfile.TemporaryDirectory(prefix="servers-", ignore_cleanup_errors=True) as folder:
        service = Service(Path(folder) / "data")
        migrated = service.manage("migrate", "--verbosity", "0")
        assert migrated.returncode == 0, migrated.stderr
        assert service.processes() == []
        yield service.folder


@pytest.fixture
def service(servers_folder, migrated_folder):
    subprocess.run(["cp", "-a", str(migrated_folder), str(servers_folder / "data")], check=True)
    service = Service(servers_folder / "data")
    yield service
    for process in service.started:
        if process.poll() is None:
            process.terminate()
            process.wait(60)
    for process in service.processes():
        process.kill()


def test_a_command_that_ends_leaves_no_server_behind(service):
    assert service.manage("migrate", "--check").returncode == 0

    assert service.processes() == []


def test_ctrl_c_ends_everything_and_a_killed_supervisor_is_followed_by_a_good_start(service):
    first = service.serve()
    assert service.wait_for(service.is_all_well), service.logs()

    first.kill()
    first.wait()
    assert service.wait_for(lambda: service.answer("/livez") is None)  # else the first one's answer counts
    second = service.serve()
    assert service.wait_for(service.is_all_well), service.logs()
    assert second.poll() is None

    second.send_signal(signal.SIGINT)
    assert second.wait(60) == 0
    assert service.processes() == []


def test_a_worker_and_servers_that_are_killed_are_started_again(service):
    service.serve()
    assert service.wait_for(service.is_all_well), service.logs()

    killed = service.pids()
    for pid in killed:
        os.kill(pid, signal.SIGKILL)

    def is_replaced():
        found = service.pids()
        return len(found) == len(killed) and not set(killed) & set(found) and service.is_all_well()

    assert service.wait_for(is_replaced), service.logs()


def test_a_busy_port_is_named_with_the_way_to_choose_another(service):
    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", service.port))
        somebody.listen()

        refused = service.manage("serve")

    assert refused.returncode == 1
    assert f"Port {service.port} of 127.0.0.1 cannot be used" in refused.stderr
    assert "PORT=" in refused.stderr
    assert service.processes() == []


def test_a_second_supervisor_of_one_data_folder_is_refused(service):
    service.serve()
    assert service.wait_for(lambda: service.answer("/livez")), service.logs()

    refused = service.manage("serve")

    assert refused.returncode == 1
    assert "already runs" in refused.stderr


def test_a_database_that_is_not_up_to_date_is_refused(servers_folder):
    service = Service(servers_folder / "data")

    refused = service.manage("serve")

    assert refused.returncode == 1
    assert "manage.py migrate" in refused.stderr
    assert service.processes() == []
