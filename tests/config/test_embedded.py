import pytest
from django.db import connection


@pytest.mark.django_db
def test_the_embedded_database_answers():
    with connection.cursor() as cursor:
        cursor.execute("select 1")

        assert cursor.fetchone() == (1,)
