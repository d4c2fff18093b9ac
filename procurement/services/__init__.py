"""The only writers: every change of a record goes through a named service."""
