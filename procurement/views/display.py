"""How pages look to this person: light, dark or as the system has it; and every component on one page."""

import datetime

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from procurement.permissions import can
from procurement.views.frame import Entry
from procurement.views.samples import SAMPLES

THEMES = ("system", "light", "dark")
A_YEAR = datetime.timedelta(days=365)


@require_POST
def theme_choose(request: HttpRequest) -> HttpResponse:
    """Remember the theme on this device and return to the page."""
    target = request.POST.get("next", "/")
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    answer = HttpResponseRedirect(target if is_ours else "/")
    theme = request.POST.get("theme")
    if theme in THEMES:
        answer.set_cookie("theme", theme, max_age=A_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return answer


class SampleForm(forms.Form):
    """A form that shows each kind of field."""

    name = forms.CharField(help_text="As it stands on the quote.")
    price = forms.DecimalField(widget=forms.TextInput(attrs={"inputmode": "decimal"}))
    model = forms.ChoiceField(choices=[("h100", "H100 SXM 80 GB"), ("b200", "B200 SXM 180 GB")])
    valid_until = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    is_interruptible = forms.BooleanField(required=False, label="Survives interruption")
    note = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2}))


def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component with made-up values; for developers and administrators."""
    if not settings.DEBUG and not can(request.user, "account.edit"):
        raise Http404
    messages.success(request, "Quote Q-118 was archived.", extra_tags="undo:/styleguide/")
    messages.warning(request, "Two prices are older than 30 days.")
    form = SampleForm({"name": "Neptune H100 reserved", "price": "2,39x", "model": "h100", "note": "Term is firm."})
    form.fields["price"].unit = "USD per accelerator-hour"
    form.fields["price"].is_wide = True
    page = Paginator(range(412), 25).page(4)
    return render(
        request,
        "procurement/styleguide.html",
        SAMPLES
        | {
            "form": form,
            "page": page,
            "page_sizes": (25, 100, 250),
            "page_numbers": page.paginator.get_elided_page_range(4),
            "crumbs": [Entry("Overview", "/"), Entry("Design", "/styleguide/")],
        },
    )
