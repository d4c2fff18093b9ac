"""T57: a million rows are refused at once and in little memory; ten thousand are in force within ten seconds."""

import json
import subprocess
import sys

import pytest

from procurement.models import Quote, StagedRow
from tests.chaos.harness import PROJECT, Fleet
from tests.chaos.test_imports_under_fire import HEADER, lines

MOST_MEMORY = 300  # MB of the whole process, Django and pandas included
SECONDS = 10.0  # for 10,000 rows on two quiet cores
BUSY = 3.0  # times as long where others use the cores too
SHORT = "Acme,h-{},H100,2,per_accelerator_hour,USD,spot,\n"

pytestmark = [pytest.mark.chaos, pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def read(servers_folder):
    with Fleet(servers_folder, seed=20261130) as fleet:

        def read_in_a_process_of_its_own(content):
            path = servers_folder / "large.csv"
            path.write_bytes(content)
            command = [sys.executable, "-m", "tests.chaos.read_large_file", str(path)]
            environment = fleet.environment(
                SECRET_KEY="only-under-fire", DJANGO_SETTINGS_MODULE="procurement.config.settings"
            )
            done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout.splitlines()[-1])

        yield read_in_a_process_of_its_own


def test_t57_a_million_rows_are_refused_with_their_number_in_little_memory(read):
    content = (HEADER.partition("id,")[2] + "".join(SHORT.format(number) for number in range(1_000_000))).encode()

    for rows in (1_000_000, 250_000):
        part = b"".join(content.splitlines(keepends=True)[: rows + 1])
        state, message, _, seconds, peak = read(part)
        print(f"{rows:,} rows, {len(part) >> 20} MB: {message} {seconds:.1f} s, {peak} MB")  # noqa: T201
        assert state == ("too_large" if len(part) > 50 * 2**20 else "refused")
        assert "at most" in message
        assert seconds < SECONDS
        assert peak < MOST_MEMORY
    assert not Quote.objects.exists()
    assert not StagedRow.objects.exists()


def test_t57_ten_thousand_rows_are_in_force_within_ten_seconds(read):
    state, message, ready, seconds, peak = read(lines("2.50", 10_000).encode())

    print(f"10,000 rows: {seconds:.1f} s, {peak} MB")  # noqa: T201
    assert (state, ready) == ("imported", 10_000), message
    assert seconds < SECONDS * BUSY
    assert peak < MOST_MEMORY
    assert Quote.objects.count() == 10_000
