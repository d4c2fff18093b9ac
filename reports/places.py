"""Names of places and options as people say them: `Rent Aurora gpu-8x-h100, 12 months reserved, eu-north-1`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from procurement.models import Build, Provider, Run
from procurement.selectors.option_names import option_parts
from reports.selectors import run_parts
from reports.sentences import words

PURCHASE_MODELS = {
    "on_demand": "on demand", "spot": "spot", "low_priority": "low priority", "promo": "promotion",
    "reserved": "reserved", "savings_plan": "savings plan", "cud": "committed use", "capacity_block": "capacity block",
    "dws": "queued start", "market_floor": "market floor", "contract": "contract",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Places:
    """Names of the quotes and builds of one run, from its frozen inputs."""

    quotes: Mapping[str, Mapping[str, Any]]
    builds: Mapping[str, Mapping[str, Any]]
    provider_names: Mapping[str, str]
    build_names: Mapping[str, str]

    def quote(self, code: str) -> str:
        """Return a quote as provider, product, how it is bought and where."""
        quote = self.quotes.get(code)
        if quote is None:
            return code
        name = " ".join(part for part in (self.provider(quote), str(quote.get("sku") or "")) if part)
        return ", ".join([name or code, *self._terms(quote)])

    def provider(self, quote: Mapping[str, Any]) -> str:
        """Return the name of a quote's provider."""
        code = str(quote.get("provider") or "")
        return self.provider_names.get(code, code)

    def build(self, code: str) -> str:
        """Return the name of a build."""
        return self.build_names.get(code, code)

    def place(self, code: str) -> str:
        """Return the name of a quote or a build."""
        return self.build(code) if code in self.builds or code in self.build_names else self.quote(code)

    def option(self, option: str) -> str:
        """Return an option in words that stand alone in a table."""
        parts = option_parts(option)
        if parts.kind == "wait":
            inner = self.option(option.partition(":")[2])
            return f"Wait, then {inner[:1].lower()}{inner[1:]}"
        build, quote = self.build(parts.build), self.quote(parts.quote)
        if parts.kind == "on_prem":
            return f"Own: {build}{' (marginal rate)' if parts.is_marginal else ''}"
        return {
            "cloud": f"Rent: {quote}",
            "hybrid": f"Own {build} for the base, rent the peak: {quote}",
            "bridge": f"Rent until {build} is ready: {quote}",
            "improve": "Improve: the present fleet at its best month",
            "current": "Do nothing: stay where it runs today",
        }.get(parts.kind, option)

    @staticmethod
    def _terms(quote: Mapping[str, Any]) -> list[str]:
        model = str(quote.get("purchase_model") or "on_demand")
        bought = PURCHASE_MODELS.get(model, words(model))
        term = f"{quote['term_months']} months" if quote.get("term_months") else ""
        if term and term not in str(quote.get("sku") or ""):
            bought = f"{term} {bought}"
        return [part for part in (bought, str(quote.get("region") or "")) if part]


def places_of(run: Run, options: Iterable[str], codes: Iterable[str] = ()) -> Places:
    """Return the names that options and places of a run need, and no more of its inputs than that."""
    parts = [option_parts(option) for option in options if option]
    named = set(codes)
    quotes = run_parts(run, "quotes", {part.quote for part in parts if part.quote} | named)
    builds = run_parts(run, "builds", {part.build for part in parts if part.build} | named)
    providers = {str(quote.get("provider")) for quote in quotes.values()}
    return Places(
        quotes=quotes,
        builds=builds,
        provider_names=dict(Provider.objects.filter(code__in=providers).values_list("code", "name")),
        build_names=dict(Build.objects.filter(code__in=builds).values_list("code", "name")),
    )
