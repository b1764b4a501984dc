"""What exports copy beside their rows, a folder per format. Nothing here imports these files: trainers do."""
