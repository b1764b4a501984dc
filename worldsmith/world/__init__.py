"""One world: its model, its files on disk, SQL engines over it, and typed rows."""
