"""The pure engine: frozen scenario in, answer out; no clock, settings, network, files or database."""
