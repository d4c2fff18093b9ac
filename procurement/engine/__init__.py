"""The pure engine: frozen scenario in, answer out; no clock, settings, network, files or database."""

ENGINE_VERSION = "1.0"  # raised whenever the same inputs may give another figure
