"""The only readers: querysets and finished tables for views, API, reports and services."""
