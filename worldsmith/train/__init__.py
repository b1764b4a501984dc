"""What trainers use: episodes, failure statistics and exports."""
