"""`python -m worldsmith`: the command line."""

from worldsmith.cli import main

main()
