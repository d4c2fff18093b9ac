"""Known names that inputs offer while a person types; anything else may be typed as well."""

from procurement.selectors.reference import CURRENCIES, accelerator_names


def suggestions() -> dict[str, object]:
    """Return the lists that forms refer to."""
    return {"accelerator_names": accelerator_names(), "currency_codes": CURRENCIES}
