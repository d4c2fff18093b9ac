"""A scenario document in, the whole answer out: at once when it is small, else by a worker."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from procurement.api.base import ApiView, PostApi, actor, found
from procurement.api.fields import as_json
from procurement.api.parsing import DocumentJsonParser
from procurement.api.problems import Refusal
from procurement.api.serializers_runs import EvaluationOutput
from procurement.selectors.evaluations import evaluations_of
from procurement.services.evaluations import (
    PAIRS_AT_ONCE,
    document_example,
    document_schema,
    evaluation_answer,
    evaluation_request,
    is_answered_at_once,
)

OBJECT = {"type": "object", "additionalProperties": True}


class EvaluateApi(PostApi):
    """Evaluate a scenario document: the answer at once (200), or where to fetch it later (202)."""

    resource = "evaluate"
    actions = {"POST": "run.request"}
    parser_classes = (DocumentJsonParser,)
    output = {
        **OBJECT,
        "description": f"The answer up to {PAIRS_AT_ONCE} workload-quote pairs, else an evaluation with `url`.",
    }
    input_schema = {**OBJECT, "description": "The scenario document; its JSON Schema is at /api/v1/evaluate/schema/."}

    def success_statuses(self) -> tuple[int, ...]:
        """Return 200 for an answer and 202 for an evaluation that a worker carries out."""
        return (200, 202)

    def act(self, request: Request, **kwargs: Any) -> Response:
        """Answer the document."""
        if not isinstance(request.data, Mapping):
            detail = "The body should be a scenario document, a JSON object."
            raise Refusal(400, "invalid", detail, errors=[{"pointer": "", "detail": detail}])
        document = as_json(request.data)
        if is_answered_at_once(document):
            return Response(evaluation_answer(by=actor(request), document=document))
        evaluation = evaluation_request(by=actor(request), document=document)
        location = reverse("api:evaluation", kwargs={"evaluation_id": evaluation.pk})
        data = EvaluationOutput(evaluation, context=self.context()).data
        return Response(data, status=202, headers={"Location": location, "Retry-After": "2"})


class EvaluationDetailApi(ApiView):
    """An evaluation that was asked for, and its answer once it is there; those of others are not found."""

    resource = "evaluate"
    output = EvaluationOutput

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the evaluation."""
        return self.shown(found(evaluations_of(request.user), "evaluation", pk=kwargs["evaluation_id"]))


class EvaluateSchemaApi(ApiView):
    """The JSON Schema of the scenario document."""

    resource = "evaluate"
    is_for_everybody = True
    output = OBJECT

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the schema."""
        return Response(document_schema())


class EvaluateExampleApi(ApiView):
    """A small scenario document that can be sent."""

    resource = "evaluate"
    is_for_everybody = True
    output = OBJECT

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the document."""
        return Response(document_example())
