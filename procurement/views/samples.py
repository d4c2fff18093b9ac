"""Made-up values with which the style guide shows every component."""

import datetime

from django.utils import timezone

from procurement.views.frame import Entry


def _gate(name: str, status: str, accelerators: int, tone: str, **more: object) -> dict[str, object]:
    return {"name": name, "status": status, "accelerators": accelerators, "planned": 512, "tone": tone, **more}


_DAY = datetime.date
_SEEN = {"newest": {"grade": "B", "on": _DAY(2026, 11, 20)}}
SAMPLES: dict[str, object] = {
    "today": _DAY(2026, 11, 30),
    "tabs": [Entry("Gates", "#", True), Entry("Evidence", "#", count=14), Entry("Costs", "#"), Entry("History", "#")],
    "chips": [
        {"name": "Accelerator", "value": "H200, B200", "address": "#"},
        {"name": "Validity", "value": "open", "address": "#"},
    ],
    "gates": [
        _gate("Installed", "verified", 512, "good", **_SEEN),
        _gate("Powered", "verified", 512, "good", **_SEEN),
        _gate("Cooled", "partial", 96, "warn", is_binding=True, **_SEEN),
        _gate("Networked", "stale", 0, "", last_known=512, **_SEEN),
        _gate("Scheduled", "planned", 0, "", promised=_DAY(2027, 2, 1)),
        _gate("Accessible", "no_date", 0, ""),
    ],
    "milestones": [
        {
            "name": "Installed",
            "status": "verified",
            "marks": [{"on": _DAY(2026, 9, 14), "kind": "proven", "words": "512 installed"}],
        },
        {
            "name": "Powered",
            "status": "overdue",
            "marks": [
                {"on": _DAY(2026, 10, 15), "kind": "overdue", "words": "promised on 3 Mar"},
                {"on": _DAY(2027, 2, 20), "kind": "forecast", "words": "forecast"},
            ],
            "first": _DAY(2026, 12, 20),
            "last": _DAY(2027, 6, 2),
        },
        {
            "name": "Cooled",
            "status": "lost",
            "marks": [{"on": _DAY(2026, 11, 2), "kind": "lost", "words": "coolant loop drained"}],
        },
        {
            "name": "Accessible",
            "status": "planned",
            "marks": [{"on": _DAY(2027, 5, 1), "kind": "promised", "words": "promised"}],
        },
    ],
    "chart": {
        "unit": "accelerators",
        "today": _DAY(2026, 11, 30),
        "days": [_DAY(2026 + month // 12, month % 12 + 1, 1) for month in range(10, 34)],
        "series": [
            {"name": "Announced", "values": [512 + 64 * index for index in range(24)]},
            {"name": "Energized", "values": [min(256 + 40 * (index // 3) * 2, 1600) for index in range(24)]},
            {"name": "Accessible", "values": [min(96 + 32 * (index // 4) * 3, 1200) for index in range(24)]},
        ],
    },
    "quotes": [
        {
            "name": "AWS p5.48xlarge",
            "where": "us-east-1",
            "accelerator": "H100 SXM",
            "price": "98.3200",
            "hour": "12.2900",
            "until": _DAY(2026, 12, 4),
            "state": "usable_if_booked",
        },
        {
            "name": "Lambda 1-Click 64",
            "where": "us-south-2",
            "accelerator": "H100 SXM",
            "price": "2.6900",
            "hour": "2.6900",
            "until": None,
            "state": "best_effort",
        },
        {
            "name": "Crusoe reserved 12 mo",
            "where": "eu-iceland",
            "accelerator": "H200 SXM",
            "price": "2.9000",
            "hour": "2.9000",
            "until": _DAY(2027, 1, 31),
            "state": "usable_assured",
        },
        {
            "name": "Neptune spring offer",
            "where": "fr-par",
            "accelerator": "B200 SXM",
            "price": "3.7500",
            "hour": None,
            "until": _DAY(2026, 11, 20),
            "state": "not_usable",
        },
    ],
    "columns": [
        {"name": "Quote", "sort_address": "#", "sorted": "ascending"},
        {"name": "Accelerator", "sort_address": "#"},
        {"name": "Price, as quoted", "unit": "USD", "is_numeric": True},
        {"name": "Accelerator-hour", "unit": "USD", "is_numeric": True, "sort_address": "#"},
        {"name": "Valid until"},
        {"name": "Bookable"},
    ],
    "history": [
        {
            "at": timezone.now(),
            "who": "Ines Roth",
            "summary": "Price changed",
            "reason": "Vendor corrected the term",
            "source": "web",
            "changes": [{"name": "Price", "unit": "USD per accelerator-hour", "was": "2.4500", "now": "2.3900"}],
        },
        {"at": timezone.now(), "who": "Jon Weiss", "summary": "Quote entered", "source": "import", "changes": []},
    ],
    "facts": [
        {"name": "Interconnect", "value": "cluster scale"},
        {"name": "Fabric", "value": "InfiniBand"},
        {"name": "Largest domain", "value": "512 accelerators"},
    ],
    "tones": (
        "verified",
        "partial",
        "disputed",
        "stale",
        "claimed",
        "overdue",
        "planned",
        "no_date",
        "energized",
        "best_effort",
        "on_prem",
        "hybrid",
        "running",
        "failed",
        "approved",
    ),
}
