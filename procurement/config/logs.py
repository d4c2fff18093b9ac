"""Logging: one JSON object per line in production, coloured lines on a console."""

from typing import Any

import structlog

FORMATS = ("json", "console")

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]

# without local variables: they hold tokens, passwords and whole documents
TRACEBACKS = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))


def configure_structlog() -> None:
    """Send structlog through the standard library, so that every library's lines look alike."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_settings(*, form: str, level: str) -> dict[str, Any]:
    """Return Django's LOGGING for a form, `json` or `console`."""
    render: list[Any] = (
        [TRACEBACKS, structlog.processors.JSONRenderer()]
        if form == "json"
        else [structlog.dev.ConsoleRenderer(colors=False)]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django": {"level": level, "handlers": [], "propagate": True},
            "django.server": {"level": level, "handlers": [], "propagate": True},
            "celery.app.trace": {"level": "WARNING"},
        },
    }
