"""Values as people write them: dates, numbers, units, names."""
