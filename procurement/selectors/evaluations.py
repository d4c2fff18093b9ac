"""Reads of evaluations that were asked for by documents."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from procurement.models import Evaluation


def evaluations_of(user: User) -> QuerySet[Evaluation]:
    """Return the evaluations that a person asked for, without the documents; those of others are left out."""
    return Evaluation.objects.filter(requested_by=user).select_related("job").defer("document")
