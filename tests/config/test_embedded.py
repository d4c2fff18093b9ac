"""The embedded servers: private, shared, adopted after a kill, stopped by the last user."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis

from procurement.config.embedded import EmbeddedServers
from procurement.config.embedded_postgresql import EmbeddedPostgresql
from procurement.config.embedded_valkey import HOST, EmbeddedValkey, is_port_free

PROJECT = Path(__file__).resolve().parents[2]

USE = """
import sys, time
from pathlib import Path
from procurement.config.embedded import servers_of
servers_of(Path(sys.argv[1])).start_postgresql()
servers_of(Path(sys.argv[1])).start_valkey()
print("started", flush=True)
time.sleep(float(sys.argv[2]))
"""


def another_process(folder, *, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", USE, str(folder), str(seconds)], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "started\n"
    return process


def end(process):
    process.wait(30)
    process.stdout.close()


@pytest.fixture
def servers(servers_folder):
    servers = EmbeddedServers(servers_folder / "data")
    yield servers
    servers.leave()


def select_one(servers):
    with psycopg.connect(host=str(servers.postgresql.socket_folder), user="postgres", dbname="postgres") as connection:
        return connection.execute("select 1").fetchone()


def test_the_servers_are_shared_and_stopped_by_their_last_user(servers):
    quick = another_process(servers.data_folder, seconds=0)
    slow = another_process(servers.data_folder, seconds=3)

    end(quick)
    assert servers.postgresql.is_running()
    assert servers.valkey.is_running()

    end(slow)
    assert not servers.postgresql.is_running()
    assert not servers.valkey.is_running()


def test_servers_outlive_a_killed_starter_and_the_next_user_stops_them(servers):
    starter = another_process(servers.data_folder, seconds=60)
    starter.kill()
    end(starter)
    assert servers.postgresql.is_running()

    servers.start_postgresql()
    assert select_one(servers) == (1,)
    servers.leave()

    assert not servers.postgresql.is_running()
    assert not servers.valkey.is_running()


def test_a_killed_database_starts_again_though_its_process_id_is_in_use(servers):
    servers.start_postgresql()
    pid_file = servers.data_folder / "postgresql" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    os.kill(int(lines[0]), signal.SIGKILL)
    while servers.postgresql.is_running():
        time.sleep(0.05)
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]))

    servers.start_postgresql()

    assert select_one(servers) == (1,)


def test_what_the_broker_accepted_is_there_after_a_kill(servers):
    servers.start_valkey()
    address = servers.valkey.address()
    with redis.Redis(host=HOST, port=address.port, password=address.password) as client:
        client.set("bell", "rung")
    time.sleep(1.1)  # appendfsync everysec
    os.kill(int((servers.data_folder / "valkey" / "valkey.pid").read_text()), signal.SIGKILL)
    while servers.valkey.is_running():
        time.sleep(0.05)

    servers.start_valkey()

    with redis.Redis(host=HOST, port=address.port, password=address.password) as client:
        assert client.get("bell") == b"rung"


def test_the_broker_wants_its_password_and_listens_on_loopback_only(servers):
    servers.start_valkey()

    with (
        redis.Redis(host=HOST, port=servers.valkey.address().port) as stranger,
        pytest.raises(redis.AuthenticationError),
    ):
        stranger.ping()
    assert "bind 127.0.0.1" in (servers.data_folder / "valkey" / "valkey.conf").read_text()


def test_a_port_that_somebody_took_is_replaced(servers_folder):
    valkey = EmbeddedValkey(servers_folder / "valkey")
    first = valkey.address()
    assert valkey.address() == first
    thief = EmbeddedValkey(servers_folder / "thief")
    (servers_folder / "thief").mkdir()
    (servers_folder / "thief" / "address.json").write_text((servers_folder / "valkey" / "address.json").read_text())
    thief.start()
    assert not is_port_free(first.port)

    second = valkey.address()
    thief.stop()

    assert second.port != first.port
    assert second.password == first.password


def test_the_folders_of_the_servers_are_private(servers):
    servers.start_postgresql()
    servers.start_valkey()

    for name in ("postgresql", "valkey"):
        assert stat.S_IMODE((servers.data_folder / name).stat().st_mode) & 0o077 == 0


def test_a_path_that_is_too_long_for_a_socket_gets_a_private_folder(servers_folder):
    cluster = EmbeddedPostgresql(servers_folder / ("long" * 30) / "postgresql")

    assert len(str(cluster.socket_folder)) < 60
    assert cluster.socket_folder != cluster.folder
