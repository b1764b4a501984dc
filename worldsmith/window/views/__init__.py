"""The views: each a function from a visit to a sheet."""
