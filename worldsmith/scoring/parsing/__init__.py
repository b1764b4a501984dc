"""From the text of an answer to tables."""
