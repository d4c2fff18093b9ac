"""Django's PostgreSQL backend that starts the embedded server before the first connection."""
