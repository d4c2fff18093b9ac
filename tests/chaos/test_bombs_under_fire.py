"""T55 from end to end: bombs come in by page and by API, each is refused, and the web answers all the while."""

import http.client
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from urllib.parse import urlsplit

import psutil
import pytest
import requests
from django.test import Client

from procurement.models import PriceSheet, Quote
from tests.chaos.harness import PROJECT, Fleet, wait_until
from tests.factories import make_user
from tests.procurement.api_tools import EVERYTHING, new_token
from tests.providers.bombs import UNSAFE

PATIENCE = 60  # seconds; a quiet machine needs a tenth of it
ANSWERS_WITHIN = 2.0  # seconds for 99 of 100 pages, on a machine that others use too
MORE_MEMORY = 100 * 2**20  # bytes that the processes of the web may take more
TOKEN = "t" * 32  # a browser sends the same in cookie and form
SENT = (
    "a zip bomb", "a nested archive", "an external entity", "the last cell of a sheet", "the last cell with a prefix",
    "three million cells at one address", "six million strings", "a million columns", "too many rows",
    "JSON of empty objects", "a JSON string of 10 MB",
)  # fmt: skip

pytestmark = [pytest.mark.chaos, pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def address(servers_folder, settings):
    """Start web, worker and scheduler; return where the web listens."""
    settings.MEDIA_ROOT = servers_folder / "data" / "media"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Fleet(servers_folder, seed=20261130) as fleet:
        secret = {"SECRET_KEY": settings.SECRET_KEY}  # sessions are made here and read there
        collected = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
        subprocess.run(collected, cwd=PROJECT, env=fleet.environment(**secret), check=True)
        fleet.scheduler()
        fleet.worker(children=1, **secret)
        fleet.start(
            "gunicorn", "procurement.config.wsgi:application", "--bind", f"127.0.0.1:{port}", "--worker-class",
            "gthread", "--workers", "1", "--threads", "8", **secret,
        )  # fmt: skip
        assert wait_until(lambda: _status(port, "/livez") == 200, seconds=PATIENCE), fleet.logs()
        yield f"http://127.0.0.1:{port}", psutil.Process(fleet.processes[-1].pid)


def _status(port, path):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as link:
        try:
            link.request("GET", path)
            return link.getresponse().status
        except OSError:
            return 0


def memory(web):
    return sum(process.memory_info().rss for process in (web, *web.children(recursive=True)))


def send_by_page(base, cookies, bombs):
    cookies = {**cookies, "csrftoken": TOKEN}
    fields = {"csrfmiddlewaretoken": TOKEN, "observed_on": "2026-11-29", "source": "page", "mode": "strict"}
    for name, content in bombs.items():
        answer = requests.post(
            f"{base}/price-sheets/new/", data=fields, files={"file": (f"page {name}.xlsx", content)},
            cookies=cookies, timeout=PATIENCE, allow_redirects=False,
        )  # fmt: skip
        place = answer.headers.get("Location", "")  # of the sheet: a person who is not known would be asked to sign in
        assert (answer.status_code, place[:14]) == (302, "/price-sheets/"), place


def send_by_api(base, header, bombs):
    for name, content in bombs.items():
        answer = requests.post(
            f"{base}/api/v1/price-sheets/", data={"observed_on": "2026-11-29", "source": "program"},
            files={"file": (f"api {name}.xlsx", content)}, headers=header, timeout=PATIENCE,
        )  # fmt: skip
        assert answer.status_code == 201, answer.text


def test_t55_the_web_answers_while_bombs_come_in_by_page_and_api(address):
    base, web = address
    person = make_user("sender", role="analyst")
    client = Client()
    client.force_login(person)
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    token, secret = new_token(person, EVERYTHING)
    header = {"Authorization": f"Bearer {token.key}.{secret}"}
    bombs = {name: UNSAFE[name]() for name in SENT}
    plain = {"first": b"a,b\n1,2\n"}
    send_by_page(base, cookies, plain)
    send_by_api(base, header, plain)
    waits, peak, before = [], [0], memory(web)
    is_over = threading.Event()

    def look():
        with closing(http.client.HTTPConnection(urlsplit(base).netloc, timeout=PATIENCE)) as link:
            while not is_over.is_set():
                began = time.monotonic()
                link.request("GET", "/price-sheets/", headers={"Cookie": f"sessionid={cookies['sessionid']}"})
                answer = link.getresponse()
                answer.read()
                waits.append((time.monotonic() - began, answer.status))
                peak[0] = max(peak[0], memory(web))

    senders = [
        threading.Thread(target=send_by_page, args=(base, cookies, bombs)),
        threading.Thread(target=send_by_api, args=(base, header, bombs)),
    ]
    looker = threading.Thread(target=look)
    for thread in (looker, *senders):
        thread.start()
    for thread in senders:
        thread.join(PATIENCE)
    sheets = PriceSheet.objects.exclude(file_name__endswith="first.xlsx")
    wait_until(lambda: sheets.filter(state="refused").count() == 2 * len(SENT), seconds=PATIENCE)
    is_over.set()
    looker.join(PATIENCE)

    slowest = sorted(wait for wait, _ in waits)[int(len(waits) * 0.99) - 1]
    more = (peak[0] - before) >> 20
    print(f"{len(waits)} pages beside {2 * len(SENT)} bombs: p99 {slowest * 1000:.0f} ms, web +{more} MB")  # noqa: T201
    assert {sheet.file_name: sheet.state for sheet in sheets if sheet.state != "refused"} == {}
    assert sheets.count() == 2 * len(SENT)
    assert {status for _, status in waits} == {200}
    assert slowest <= ANSWERS_WITHIN
    assert peak[0] - before <= MORE_MEMORY
    assert not Quote.objects.exists()
