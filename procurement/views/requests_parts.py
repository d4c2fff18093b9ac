"""Pages of what belongs to a request: invitations, no-bids, questions and letters."""

from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.forms.requests import AnswerForm, InvitationForm, QuestionForm, StepForm
from procurement.models import RequestInvitation, RequestLetter, RequestQuestion
from procurement.selectors.requests import invitations_of, letters_of, questions_of
from procurement.services.actors import Actor
from procurement.services.requests_invitations import (
    invitation_archive,
    invitation_create,
    invitation_decline,
    invitation_update,
    question_answer,
    question_ask,
)
from procurement.services.requests_letters import has_mail_server, letter_mail, letter_sent
from procurement.views.base import FormPage, file_answer
from procurement.views.requests import RequestActionPage, RequestFormPage, RequestPage


class InvitationPage(RequestFormPage):
    """What the forms of an invitation share."""

    def invitation(self) -> RequestInvitation:
        """Return the invitation asked for."""
        return get_object_or_404(invitations_of(self.quote_request()), pk=self.kwargs["pk"])

    def address_after(self, record: Any) -> str:
        """Return the suppliers of the request."""
        return reverse("procurement:request_bids", args=[self.kwargs["code"]])


class InvitationCreateView(InvitationPage):
    """Another supplier."""

    heading = "Invite a supplier"
    button = "Invite"
    success = "{record.provider} is on the list."

    def make_form(self, *args: Any, **kwargs: Any) -> InvitationForm:
        """Return the empty form."""
        return InvitationForm(*args, **kwargs)

    def store(self, form: InvitationForm, by: Actor) -> RequestInvitation:
        """Invite them."""
        return invitation_create(by=by, quote_request=self.quote_request(), values=form.values())


class InvitationUpdateView(InvitationPage):
    """Where the mail of a supplier goes."""

    heading = "Contact of the supplier"
    success = "{record.provider}: the contact was changed."

    def make_form(self, *args: Any, **kwargs: Any) -> InvitationForm:
        """Return the form on the invitation."""
        return InvitationForm(*args, instance=self.invitation(), **kwargs)

    def store(self, form: InvitationForm, by: Actor) -> RequestInvitation:
        """Store the change."""
        version = form.cleaned_data["version"]
        return invitation_update(by=by, invitation=form.instance, version=version, values=form.values())


class InvitationDeclineView(InvitationPage):
    """A supplier who will not bid, and why."""

    button = "Note the no-bid"
    success = "{record.provider} will not bid; the reason is kept."

    def make_form(self, *args: Any, **kwargs: Any) -> StepForm:
        """Return the form."""
        return StepForm(args[0] if args else None, initial={"version": self.invitation().version})

    def store(self, form: StepForm, by: Actor) -> RequestInvitation:
        """Note it."""
        invitation = self.invitation()
        version = form.cleaned_data.get("version") or invitation.version
        return invitation_decline(by=by, invitation=invitation, version=version)

    def more(self) -> dict[str, Any]:
        """Name the supplier."""
        return {**super().more(), "heading": f"{self.invitation().provider} will not bid"}

    def conflict(self, form: Any) -> HttpResponse:
        """Say that it was changed meanwhile."""
        form.add_error(None, "The invitation was changed meanwhile; look at it again.")
        return self.show({"form": form, **self.more()}, status=409)


class InvitationArchiveView(RequestActionPage):
    """Take a supplier off a draft, or put it back."""

    action = "request.edit"
    is_archived = True
    success = "The list of suppliers was changed."

    def act(self, by: Actor) -> str:
        """Take it off."""
        invitation = get_object_or_404(invitations_of(self.quote_request()), pk=self.kwargs["pk"])
        version = self.version_sent(invitation.version)
        invitation_archive(by=by, invitation=invitation, version=version, is_archived=self.is_archived)
        return self.address_back()

    def undo_address(self) -> str:
        """Return the way back."""
        return reverse("procurement:request_invitation_restore", kwargs=self.kwargs) if self.is_archived else ""

    def address_back(self) -> str:
        """Return the suppliers of the request."""
        return reverse("procurement:request_bids", args=[self.kwargs["code"]])


class QuestionPage(RequestFormPage):
    """What asking and answering share."""

    def address_after(self, record: Any) -> str:
        """Return the questions of the request."""
        return reverse("procurement:request_questions", args=[self.kwargs["code"]])


class QuestionCreateView(QuestionPage):
    """A question that somebody asked."""

    heading = "Record a question"
    button = "Save question"
    success = "The question is recorded. Its answer goes to all."

    def make_form(self, *args: Any, **kwargs: Any) -> QuestionForm:
        """Return the empty form."""
        return QuestionForm(args[0] if args else None, quote_request=self.quote_request())

    def store(self, form: QuestionForm, by: Actor) -> RequestQuestion:
        """Record it."""
        found = form.cleaned_data
        return question_ask(
            by=by, quote_request=self.quote_request(), question=found["question"], invitation=found["invitation"]
        )


class QuestionAnswerView(QuestionPage):
    """The answer, once, to all."""

    heading = "Answer a question"
    button = "Answer to all suppliers"
    success = "Answered. The letters to all suppliers are ready."
    template = "procurement/request_answer.html"

    def question(self) -> RequestQuestion:
        """Return the question asked for."""
        return get_object_or_404(questions_of(self.quote_request()), pk=self.kwargs["pk"])

    def make_form(self, *args: Any, **kwargs: Any) -> AnswerForm:
        """Return the empty form."""
        return AnswerForm(args[0] if args else None)

    def store(self, form: AnswerForm, by: Actor) -> RequestQuestion:
        """Answer it."""
        return question_answer(by=by, question=self.question(), answer=form.cleaned_data["answer"])

    def more(self) -> dict[str, Any]:
        """Return the question."""
        return {**FormPage.more(self), "question": self.question()}


class LetterPage(RequestPage):
    """What the pages of a letter share."""

    def letter(self) -> RequestLetter:
        """Return the letter asked for."""
        return get_object_or_404(letters_of(self.quote_request()), pk=self.kwargs["pk"])


class LetterDetailView(LetterPage):
    """One letter, to be copied."""

    template = "procurement/request_letter.html"

    def get(self, request: HttpRequest, code: str, pk: int) -> HttpResponse:
        """Show it."""
        letter = self.letter()
        context = {"letter": letter, "letters": [letter], "has_mail_server": has_mail_server()}
        return self.show({**context, "quote_request": self.quote_request()})


class LetterFileView(LetterPage):
    """One letter as a mail that any mail program opens."""

    def get(self, request: HttpRequest, code: str, pk: int) -> HttpResponse:
        """Return it as an unsent message."""
        letter = self.letter()
        message = EmailMessage(policy=SMTP)
        message["Subject"], message["To"] = letter.subject, letter.recipient
        message["From"], message["X-Unsent"] = settings.DEFAULT_FROM_EMAIL, "1"
        message.set_content(letter.text)
        name = f"{code}-{letter.notice.number}-{letter.invitation.provider.code}.eml"
        return file_answer(name, message.as_bytes(), "message/rfc822")


class LetterMailView(RequestActionPage):
    """Let the service mail a letter."""

    action = "request.edit"
    success = "The letter goes out by mail."

    def act(self, by: Actor) -> str:
        """Mail it."""
        letter_mail(by=by, letter=get_object_or_404(letters_of(self.quote_request()), pk=self.kwargs["pk"]))
        return self.address_back()

    def address_back(self) -> str:
        """Return the letters of the request."""
        return reverse("procurement:request_letters", args=[self.kwargs["code"]])


class LetterSentView(RequestActionPage):
    """Note that a letter went out."""

    action = "request.edit"
    success = "Noted as sent."

    def act(self, by: Actor) -> str:
        """Note it."""
        letter_sent(by=by, letter=get_object_or_404(letters_of(self.quote_request()), pk=self.kwargs["pk"]))
        return self.address_back()

    def address_back(self) -> str:
        """Return the letters of the request."""
        return reverse("procurement:request_letters", args=[self.kwargs["code"]])
