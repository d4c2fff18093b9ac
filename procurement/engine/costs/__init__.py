"""The shelf of cost components: one independent file per component, listed in the registry."""
