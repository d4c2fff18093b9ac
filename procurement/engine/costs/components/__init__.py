"""One file per cost component; none knows another."""
