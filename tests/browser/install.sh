#!/usr/bin/env bash
# Makes the environment of the browser's driver: tests/browser/install.sh DIR
# Then: WORLDSMITH_BROWSER=DIR pytest -m browser. Needs uv (pip install uv), and Debian's chromium, or another one that
# WORLDSMITH_CHROMIUM names.
set -euo pipefail

uv venv --quiet --allow-existing --python ">=3.11" "$1"
uv pip install --quiet --python "$1/bin/python" playwright==1.65.2
