"""`schema check`: fills trial worlds from a schema and reports what its rules cost and which need work."""
