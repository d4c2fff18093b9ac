"""Pages of a person's API tokens."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from procurement.errors import ProcurementError
from procurement.forms.decisions import TokenForm
from procurement.models import ApiToken
from procurement.selectors.accounts import tokens_of
from procurement.services.accounts import token_create, token_revoke
from procurement.services.actors import Actor
from procurement.views.base import ActionPage, FormPage, Page
from procurement.views.frame import Entry


class TokenListView(Page):
    """The tokens of the person, or of everybody for an administrator who asks."""

    action = "token.own"
    template = "procurement/tokens.html"

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show them; a secret is never shown again."""
        return self.show({"tokens": tokens_of(request.user)})


class TokenCreateView(FormPage):
    """A new token; its secret is shown once."""

    action = "token.own"
    heading = "New API token"
    button = "Make token"

    def make_form(self, *args: Any, **kwargs: Any) -> TokenForm:
        """Return the form."""
        return TokenForm(args[0] if args else None)

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Make the token and show its secret in the answer, which is never stored."""
        form = self.make_form(request.POST)
        if form.is_valid():
            try:
                token, secret = self.store(form, self.actor())
            except ProcurementError as error:
                form.take_refusal(error)
            else:
                shown = self.show({"token": token, "secret": secret}, template="procurement/token_made.html")
                shown["Cache-Control"] = "no-store"
                return shown
        return self.show({"form": form, **self.more()}, status=422)

    def store(self, form: TokenForm, by: Actor) -> tuple[ApiToken, str]:
        """Store the digest of a new secret."""
        wanted = form.cleaned_data
        return token_create(by=by, name=wanted["name"], scopes=wanted["scopes"], expires_at=form.expires_at())

    def crumbs(self) -> list[Entry]:
        """Return the way up."""
        return [Entry("API tokens", reverse("procurement:tokens"))]


class TokenRevokeView(ActionPage):
    """Refuse a token from now on."""

    action = "token.own"
    success = "The token is refused from now on."

    def act(self, by: Actor) -> str:
        """Revoke it."""
        token_revoke(by=by, token=get_object_or_404(tokens_of(by.user), pk=self.kwargs["pk"]))
        return self.address_back()

    def address_back(self) -> str:
        """Return the list."""
        return reverse("procurement:tokens")
