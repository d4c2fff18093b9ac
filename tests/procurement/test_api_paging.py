"""Pages by cursor: every row once, whatever comes or goes in between."""

import pytest
from django.utils import timezone

from procurement.models import Provider
from tests.factories import make_quote
from tests.procurement.api_tools import client_of

pytestmark = pytest.mark.django_db


def _providers(first: int, count: int) -> None:
    Provider.objects.bulk_create(Provider(code=f"p{n}", name="Same") for n in range(first, first + count))


def _pulled(client, query: str, between=lambda: None) -> list[str]:
    codes, cursor = [], ""
    while cursor is not None:
        page = client.get(f"providers/?{query}{cursor}").json()
        codes += [row["code"] for row in page["results"]]
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
        between()
    return codes


@pytest.mark.parametrize("order", ["id", "-id"])
def test_each_row_that_was_there_comes_exactly_once_while_others_come_and_go(order):
    _providers(0, 500)
    numbers = iter(range(1000, 100_000, 10))

    def others():
        start = next(numbers)
        _providers(start, 10)
        Provider.objects.filter(code__in=[f"p{start + n}" for n in range(5)]).delete()

    codes = _pulled(client_of("viewer"), f"limit=20&order={order}", others)

    there_before = [code for code in codes if int(code[1:]) < 500]
    assert sorted(there_before) == sorted(f"p{n}" for n in range(500))
    assert len(codes) == len(set(codes))


def test_a_row_that_is_deleted_moves_no_other():
    _providers(0, 50)
    viewer = client_of("viewer")
    first = viewer.get("providers/?limit=10").json()
    Provider.objects.filter(code__in=["p3", "p9"]).delete()

    second = viewer.get(f"providers/?limit=10&cursor={first['next_cursor']}").json()

    assert [row["code"] for row in second["results"]] == [f"p{n}" for n in range(10, 20)]


def test_next_is_the_address_of_the_next_page_with_the_same_filters():
    _providers(0, 30)
    viewer = client_of("viewer")

    page = viewer.get("providers/?name=Same&limit=20").json()

    assert page["next"].startswith("http://testserver/api/v1/providers/?")
    assert "name=Same" in page["next"]
    assert len(viewer.get(page["next"].removeprefix("http://testserver")).json()["results"]) == 10


def test_an_empty_list_has_the_same_shape():
    page = client_of("viewer").get("providers/").json()

    assert (page["results"], page["next"], page["next_cursor"]) == ([], None, None)
    assert page["as_of"].endswith("Z")


def test_what_changed_is_pulled_from_the_last_as_of_inclusive():
    _providers(0, 5)
    viewer, analyst = client_of("viewer"), client_of("analyst")
    as_of = viewer.get("providers/").json()["as_of"]
    analyst.patch("providers/p3/", {"note": "moved"}, If_Match='"1"')
    changed_at = Provider.objects.get(code="p3").modified_at.isoformat().replace("+00:00", "Z")

    assert [row["code"] for row in viewer.get(f"providers/?modified_since={as_of}").json()["results"]] == ["p3"]
    assert len(viewer.get(f"providers/?modified_since={changed_at}").json()["results"]) == 1
    assert viewer.get(f"providers/?modified_since={changed_at}&modified_before={changed_at}").json()["results"] == []


def test_a_record_taken_out_of_use_is_told_to_those_who_keep_a_copy():
    _providers(0, 2)
    client_of("analyst").delete("providers/p1/", If_Match='"1"')
    since = timezone.now().date()

    rows = client_of("viewer").get(f"providers/?include_archived=true&modified_since={since}").json()["results"]

    assert [(row["code"], row["is_archived"]) for row in rows] == [("p0", False), ("p1", True)]


def test_a_cursor_of_another_order_is_refused():
    _providers(0, 30)
    viewer = client_of("viewer")
    cursor = viewer.get("providers/?limit=10").json()["next_cursor"]

    assert viewer.get(f"providers/?order=-id&cursor={cursor}").status_code == 400


def test_a_repeated_filter_means_any_of_its_values():
    _providers(0, 5)

    rows = client_of("viewer").get("providers/?code=p1&code=p4").json()["results"]

    assert [row["code"] for row in rows] == ["p1", "p4"]


def test_a_superseded_version_is_told_to_those_who_keep_a_copy():
    quote = make_quote()
    viewer, analyst = client_of("viewer"), client_of("analyst")
    as_of = viewer.get("quotes/").json()["as_of"]
    analyst.patch(f"quotes/{quote.code}/", {"price": "2.80"}, If_Match='"1"')

    rows = viewer.get(f"quotes/?include_superseded=true&modified_since={as_of}").json()["results"]

    assert [(row["version"], row["is_current"]) for row in rows] == [(1, False), (2, True)]
