"""The REST interface under /api/v1/: thin views over services and selectors."""
