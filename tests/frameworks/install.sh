#!/usr/bin/env bash
# Makes an environment per trainer, each without worldsmith: tests/frameworks/install.sh DIR [NAME...]
# Then: WORLDSMITH_FRAMEWORKS=DIR pytest -m frameworks. Needs uv (pip install uv), ten times as fast as pip here.
set -euo pipefail

declare -A pythons=([nemo]=3.12)
declare -A requirements=(
  [art]="openpipe-art==0.5.18 openai<3 numpy pyarrow"
  [gym]="gymnasium==1.4.0"
  [hf]="datasets==5.2.0"
  [inspect]="inspect-ai==0.3.285 openai"
  [nemo]="nemo-gym==0.4.0"
  [openenv]="openenv==0.10.0"
  [rllm]="rllm@git+https://github.com/rllm-org/rllm@9beb6e0 rllm-model-gateway@git+https://github.com/rllm-org/rllm@9beb6e0#subdirectory=rllm-model-gateway torch"
  [skyrl]="skyrl-gym==0.4.0 datasets==5.2.0"
  [slime]="slime@git+https://github.com/THUDM/slime@624b824 torch"
  [trl]="trl==1.16.0 transformers==5.24.0 datasets==5.2.0 jinja2 torch"
  [verifiers]="verifiers==0.4.0"
  [widesearch]="pandas<3 loguru dateparser pandarallel datasets"   # and a checkout, WORLDSMITH_WIDESEARCH
  [verl]="verl==0.9.1 transformers==5.10.4 cachetools fastapi uvicorn torch"
)

folder=$1
shift
names=("${@:-${!requirements[@]}}")
for name in ${names[*]}; do
  uv venv --quiet --allow-existing --python "${pythons[$name]:-3.11}" "$folder/$name"
  # shellcheck disable=SC2086 # a list of requirements
  uv pip install --quiet --python "$folder/$name/bin/python" ${requirements[$name]}
  echo "$name: ${requirements[$name]}"
done
