"""Child processes that do not outlive their parent: own session each, a death signal, an end that leaves nobody."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.1


def _end_with_parent() -> None:
    """Ask Linux to end this process when its parent dies, even by kill -9. Runs between fork and exec."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass(slots=True)
class Child:
    """A program that is kept running.

    Parameters
    ----------
    name
        What people call it: web, worker, scheduler.
    command
        Program and arguments.
    """

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restarts: int = 0
    restart_at: float = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the program runs now."""
        return self.process is not None and self.process.poll() is None

    @property
    def age_seconds(self) -> float:
        """For how long it has been running, or was when it ended."""
        return time.monotonic() - self.started_at

    def start(self, environment: Mapping[str, str]) -> None:
        """Start the program in a session of its own, so that a Ctrl-C reaches the parent alone."""
        self.process = subprocess.Popen(
            self.command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        self.started_at = time.monotonic()

    def ask_to_end(self) -> None:
        """Send SIGTERM to the program itself; its own children are its business."""
        if self.is_running and self.process is not None:
            self.process.terminate()

    def kill(self) -> None:
        """Kill whatever is left of its process group."""
        if self.process is None:
            return
        kill_group(self.process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)


def kill_group(leader: int) -> None:
    """Kill a process group; harmless when it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def wait_for_end(children: Sequence[Child], *, patience: float) -> None:
    """Wait until all have ended, at most for the patience."""
    deadline = time.monotonic() + patience
    while any(child.is_running for child in children) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


class Roster:
    """The file that names the running children, so that the next supervisor finds those of one that was killed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, children: Sequence[Child]) -> None:
        """Remember who runs, with the time of birth: process ids are used again."""
        rows = []
        for child in children:
            if child.process is not None and child.is_running:
                with contextlib.suppress(psutil.Error):
                    rows.append([child.process.pid, psutil.Process(child.process.pid).create_time()])
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(rows), encoding="utf-8")
        new.rename(self.path)

    def end_leftovers(self, *, patience: float = 10) -> int:
        """End what a killed supervisor left behind; return how many processes that were."""
        left = self._living()
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.terminate()
        psutil.wait_procs(left, timeout=patience)
        for process in left:
            kill_group(process.pid)
        self.path.unlink(missing_ok=True)
        return len(left)

    def _living(self) -> list[psutil.Process]:
        if not self.path.exists():
            return []
        living = []
        for pid, born in json.loads(self.path.read_text(encoding="utf-8")):
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(pid)
                if abs(process.create_time() - born) < 1:
                    living.append(process)
        return living
