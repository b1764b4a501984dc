"""From candidates to certified tasks: certificates, task files, and batches of worlds."""
