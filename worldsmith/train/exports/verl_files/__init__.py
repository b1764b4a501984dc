"""What an export for verl is made of. These files are copied; nothing here imports them."""
