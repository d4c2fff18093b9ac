"""What a mail says and how it is built: the figures of the page, headers nobody can inject, one click out."""

import re
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from procurement.models import Decision
from reports.mail import make_issue, report_letter, unchanged_letter
from reports.message import MOST_BYTES, Addressee, Letter, one_line, read_unsubscribe_token, write_message
from reports.models import OptOut
from reports.registry import REPORTS
from tests.reports.factories import HYBRID, make_person, make_run
from tests.reports.mail_tools import SLOT, make_subscription

pytestmark = pytest.mark.django_db
FIGURE = re.compile(r"EUR [\d,]+\.\d+")


def letter_of(**changes):
    run = make_run()
    subscription = make_subscription(**changes)
    return report_letter(subscription, make_issue(subscription, run, SLOT, None)), subscription


def written(letter, recipient="cfo@example.com", name="Weekly decisions", reply_to="ana@example.com"):
    return message_from_bytes(
        write_message(letter, Addressee(recipient, 7, name, reply_to)).content, policy=policy.default
    )


def words_of(html):
    reader = Words()
    reader.feed(html)
    return re.sub(r"\s+", " ", " ".join(reader.said))


class Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.said, self.muted = [], False

    def handle_starttag(self, tag, attrs):
        self.muted = tag in ("style", "title")

    def handle_endtag(self, tag):
        self.muted = False

    def handle_data(self, data):
        if not self.muted:
            self.said.append(data)


@pytest.mark.parametrize("report", [report.key for report in REPORTS])
def test_every_report_is_a_mail_with_text_and_html_of_the_same_figures(report):
    letter, _ = letter_of(report=report)
    text = re.sub(r"\s+", " ", letter.text)

    html = words_of(letter.html)

    assert sorted(FIGURE.findall(text)) == sorted(FIGURE.findall(html))
    assert max(len(line) for line in letter.text.splitlines() if "http" not in line) <= 72
    assert len(letter.html.encode()) <= MOST_BYTES


def test_the_mail_says_what_the_page_says():
    letter, _ = letter_of()
    client = Client()
    client.force_login(make_person("vera", "viewer"))
    run_page = client.get(reverse("reports:recommendations")).content.decode()
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", run_page))

    for figure in ("1,746,000.00", "2,910,000.00", "2.3100", "5,044,000.00", "3.4100"):
        assert figure in page
        assert figure in letter.text
        assert figure in words_of(letter.html)


def test_the_text_reads_by_itself():
    letter, _ = letter_of()

    assert letter.text.startswith("RECOMMENDATIONS\nWeek 49 · 30 Nov 2026 – 6 Dec 2026 (Europe/Berlin)\n")
    assert "Chat serving\n  Verdict: Own base, rent peak\n" in letter.text
    assert "  Cost: EUR 2.3100 per useful accelerator-hour\n" in letter.text
    assert "Vision training\n  Verdict: None feasible\n  First reason: Nothing fits: 19 offers" in letter.text


def test_the_subject_says_the_week_and_what_is_asked():
    run = make_run()
    subscription = make_subscription()
    Decision.objects.create(
        code="D-2026-0001", run=run, workload_code="chat", option=HYBRID, amount="1746000", currency="EUR",
        valid_until=date(2026, 12, 4), inputs_digest="ab" * 32, prepared_by=subscription.owner,
    )  # fmt: skip

    letter = report_letter(subscription, make_issue(subscription, run, SLOT, None))

    assert letter.subject == "Decisions wk 49: 1 needs approval"
    assert "NEEDS YOU\n- Approve D-2026-0001: chat · EUR 1.7 m · 4 Dec 2026\n" in letter.text
    assert "Approve D-2026-0001: chat · EUR 1.7 m · 4 Dec 2026" in letter.html  # the line beside the subject


def test_the_tree_is_text_then_html():
    letter, _ = letter_of()

    message = written(letter)

    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    assert {part["Content-Transfer-Encoding"] for part in message.iter_parts()} == {"quoted-printable"}


def test_leaving_is_one_unfolded_unencoded_header_line():
    letter, subscription = letter_of()
    raw = write_message(letter, Addressee("cfo@example.com", subscription.pk, "Weekly", "ana@example.com")).content

    line = next(line for line in raw.split(b"\r\n") if line.startswith(b"List-Unsubscribe:")).decode()

    address = re.search(r"<(http[^>]+)>", line).group(1)
    assert "=?" not in line
    assert "<mailto:ana@example.com?subject=unsubscribe%20Weekly>" in line
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw
    assert b"\r\nAuto-Submitted: auto-generated\r\n" in raw
    assert b"\r\nList-Id: <report-" in raw
    assert address.encode() in raw.split(b"\r\n\r\n", 1)[1].replace(b"=\r\n", b"").replace(b"=3D", b"=")


def test_posting_the_address_leaves_without_login_cookie_token_or_redirect():
    letter, subscription = letter_of()
    message = written_for(letter, subscription)
    path = re.search(r"<https?://[^/]+(/[^>]+)>", message["List-Unsubscribe"]).group(1)
    stranger = Client(enforce_csrf_checks=True)

    scanned = stranger.get(path)
    assert (scanned.status_code, OptOut.objects.count()) == (200, 0)  # link scanners only read

    left = stranger.post(path, {"List-Unsubscribe": "One-Click"})
    assert left.status_code == 200
    assert list(OptOut.objects.values_list("subscription_id", "recipient")) == [(subscription.pk, "cfo@example.com")]
    assert "You are unsubscribed" in left.content.decode()

    assert stranger.post(path).status_code == 200  # twice changes nothing
    assert OptOut.objects.count() == 1
    stranger.post(path, {"again": "yes"})
    assert OptOut.objects.count() == 0


def test_an_address_that_was_not_made_here_leaves_nobody():
    make_subscription()

    reply = Client().post("/unsubscribe/WzEsImNmb0BleGFtcGxlLmNvbSJd:forged/")

    assert (reply.status_code, OptOut.objects.count()) == (404, 0)
    assert "This link is not complete" in reply.content.decode()


@pytest.mark.parametrize(
    "name",
    [
        "Weekly\r\nBcc: thief@example.com",
        "Weekly\nSubject: other",
        "a\x00b\x1bc",
        "x" * 4000,
        "Grüße 周报 🚀",
    ],
)
def test_t25_no_name_adds_a_header(name):
    letter = Letter(one_line(f"Decisions wk 49: {name}"), "text\n", "<p>text</p>")

    message = written(letter, name=name)

    assert "Bcc" not in message
    assert len(message.get_all("Subject")) == 1
    assert sorted(set(message.keys())) == sorted(
        {
            "From",
            "To",
            "Reply-To",
            "Subject",
            "Date",
            "Message-ID",
            "Auto-Submitted",
            "List-Id",
            "List-Unsubscribe",
            "List-Unsubscribe-Post",
            "MIME-Version",
            "Content-Type",
        }
    )


def test_t25_what_people_typed_is_text_in_html_and_plain_in_text():
    run = make_run()
    subscription = make_subscription(name='<img src=x onerror="alert(1)">')
    answer = run.run_answers.get(workload_code="chat").answer
    answer.workload_name = "<script>alert(1)</script> & co"
    answer.save()

    letter = report_letter(subscription, make_issue(subscription, run, SLOT, None))

    assert "<script" not in letter.html
    assert "<img" not in letter.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co" in letter.html
    assert "<script>alert(1)</script> & co" in letter.text


def test_styles_are_inline_and_nothing_is_fetched():
    letter, _ = letter_of()

    assert 'style="' in letter.html
    assert "prefers-color-scheme: dark" in letter.html
    assert not re.search(r"<(img|link|script|svg)\b", letter.html)
    assert "{{" not in letter.html.replace("{{leave}}", "")


def test_a_big_report_is_cut_with_how_many_are_left_and_stays_small():
    run = make_run()
    subscription = make_subscription(report="cash_flow")

    letter = report_letter(subscription, make_issue(subscription, run, SLOT, None))

    assert "58 more on the page." in letter.text  # 3 x 24 + 6 months, 20 shown
    assert "58 more on the page." in letter.html


def test_the_short_letter_says_that_nothing_changed():
    run = make_run()
    subscription = make_subscription()

    letter = unchanged_letter(subscription, make_issue(subscription, run, SLOT, None))

    assert letter.subject == "Decisions wk 49: nothing changed"
    assert "Still 1 hybrid, 1 to rent and 1 without an option." in letter.text


def test_the_week_in_subject_and_body_is_the_recipients():
    run = make_run()
    subscription = make_subscription(time_zone="Pacific/Kiritimati")
    sunday_in_utc = datetime(2026, 11, 29, 18, tzinfo=UTC)

    letter = report_letter(subscription, make_issue(subscription, run, sunday_in_utc, None))

    assert letter.subject.startswith("Decisions wk 49:")
    assert "Week 49 · 30 Nov 2026" in letter.text


def written_for(letter, subscription):
    content = write_message(letter, Addressee("cfo@example.com", subscription.pk, "Weekly", "")).content
    message = message_from_bytes(content, policy=policy.default)
    token = message["List-Unsubscribe"].split("/unsubscribe/")[1].split("/")[0]
    assert read_unsubscribe_token(token) == (subscription.pk, "cfo@example.com")
    return message
