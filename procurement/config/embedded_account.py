"""Files and processes of the embedded servers: the account they run under, their folders, their process ids."""

import contextlib
import os
import pwd
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psutil

ACCOUNT = "pgserver"
FALLBACK_ACCOUNT = "nobody"


class EmbeddedError(RuntimeError):
    """An embedded server cannot be started; the message says what would help."""


def is_root() -> bool:
    """Whether this process may, and must, run the servers under another account (PostgreSQL refuses root)."""
    return os.geteuid() == 0


def account() -> pwd.struct_passwd:
    """Return the account of the servers: the own one, or for root an unprivileged one that is made when missing."""
    if not is_root():
        return pwd.getpwuid(os.geteuid())
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(ACCOUNT)
    with contextlib.suppress(subprocess.CalledProcessError, OSError, KeyError):
        subprocess.run(["useradd", "--system", "--no-create-home", ACCOUNT], check=True, capture_output=True)
        return pwd.getpwnam(ACCOUNT)
    return pwd.getpwnam(FALLBACK_ACCOUNT)


def run(command: list[str], *, timeout: float = 60) -> None:
    """Run a program of a server under its account; its output is shown only in the error."""
    drop: Mapping[str, object] = {}
    if is_root():
        entry = account()
        drop = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    with open(os.devnull, "rb") as nothing:
        result = subprocess.run(
            command, stdin=nothing, capture_output=True, text=True, timeout=timeout, check=False, cwd="/",
            env=environment | {"LC_ALL": "C"}, start_new_session=True, **drop,  # type: ignore[call-overload]
        )  # fmt: skip
    if result.returncode:
        raise EmbeddedError(f"{Path(command[0]).name} ended with {result.returncode}: {result.stderr or result.stdout}")


def make_folder(folder: Path) -> Path:
    """Make a private folder that belongs to the account of the servers."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    if is_root():
        entry = account()
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        let_through(folder)
    return folder


def hand_over(path: Path) -> None:
    """Give a file to the account of the servers, readable by nobody else."""
    path.chmod(0o600)
    if is_root():
        entry = account()
        os.chown(path, entry.pw_uid, entry.pw_gid)


def let_through(path: Path) -> None:
    """Let other accounts pass, not list, the folders above a path; only root needs it, for the servers' account."""
    if not is_root():
        return
    for folder in path.absolute().parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)


def let_read(folder: Path, probe: Path) -> None:
    """Let other accounts read an installed package when a strict umask hid it; only root needs it."""
    let_through(folder)
    if not is_root() or probe.stat().st_mode & stat.S_IXOTH:
        return
    for path in (folder, *folder.rglob("*")):
        if path.is_symlink():
            continue
        mode = stat.S_IMODE(path.stat().st_mode)
        passable = stat.S_IXOTH if path.is_dir() or mode & stat.S_IXUSR else 0
        path.chmod(mode | stat.S_IROTH | passable)


def read_pid(path: Path) -> int | None:
    """Return the process id in the first line of a file, or None when there is none."""
    try:
        first = path.read_text(encoding="utf-8").splitlines()[:1]
    except FileNotFoundError:
        return None
    return int(first[0]) if first and first[0].strip().isdecimal() else None


def process_of(pid: int | None, *, program: str, folder: Path) -> psutil.Process | None:
    """Return the process if it lives, is that program and works in that folder (a reused id is somebody else's)."""
    if pid is None:
        return None
    with contextlib.suppress(psutil.Error, OSError):
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        if process.name().startswith(program) and Path(process.cwd()) == folder.resolve():
            return process
    return None


def processes_in(folder: Path, *, program: str) -> list[psutil.Process]:
    """Return the processes of a program that work in a folder."""
    candidates = (process.pid for process in psutil.process_iter() if _is_called(process, program))
    return [found for pid in candidates if (found := process_of(pid, program=program, folder=folder))]


def _is_called(process: psutil.Process, program: str) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.name().startswith(program))
    return False


def end(process: psutil.Process, gentle: int, *, patience: float = 30) -> None:
    """Ask a process to end and wait; after the patience it is killed."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(gentle)
        try:
            process.wait(patience)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(5)
