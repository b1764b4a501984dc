"""What `schema check` tells an author: trial worlds, and rules that the fills already imply."""
