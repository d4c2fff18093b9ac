"""T55: a bomb is refused within two seconds and without its memory; measured in a process of its own."""

import json
import os
import subprocess
import sys

from tests.providers.bombs import UNSAFE
from tests.providers.nasty_workbooks import workbook

SECONDS = 2.0  # of processor time: others use the machine too
MORE_MEMORY = 100 * 1024  # KB above what reading a plain file takes
READER = """
import json, resource, sys, time
from datetime import date
from providers import ProviderError, read_quotes

def read(path):
    began = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with open(path, "rb") as file:
        content = file.read()
    try:
        read_quotes(content, file_name="prices.xlsx", observed_on=date(2026, 11, 30), source="bomb")
        said = "read"
    except ProviderError as error:
        said = type(error).__name__
    return said, time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began

def peaks():
    with open("/proc/self/status") as status:  # getrusage would count the process that started this one, too
        own = int(status.read().partition("VmHWM:")[2].split()[0])
    return own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

plain, *bombs = sys.argv[1:]
read(plain)
before = peaks()
print(json.dumps([[path, *read(path), *(now - was for now, was in zip(peaks(), before))] for path in bombs]))
"""


def test_no_bomb_takes_more_than_two_seconds_and_a_hundred_megabytes(tmp_path):
    from_code = {"plain": workbook()} | {name: make() for name, make in UNSAFE.items()}
    paths = [tmp_path / name.replace(" ", "_") for name in from_code]
    for path, content in zip(paths, from_code.values(), strict=True):
        path.write_bytes(content)

    done = subprocess.run(
        [sys.executable, "-c", READER, *map(str, paths)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip

    for path, said, seconds, more, more_in_child in json.loads(done.stdout):
        assert said == "UnsafeFile", path
        assert seconds < SECONDS, (path, seconds)
        assert more < MORE_MEMORY, (path, more)
        assert more_in_child < MORE_MEMORY, (path, more_in_child)
