"""Programs that verifiers starts."""
