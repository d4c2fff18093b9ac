"""The shelf of price formats: one file each, registered in providers.registry."""
