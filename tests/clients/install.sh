#!/usr/bin/env bash
# Makes an environment per client, each without worldsmith: tests/clients/install.sh DIR [NAME...]
# Then: WORLDSMITH_CLIENTS=DIR pytest -m clients. Needs uv (pip install uv), ten times as fast as pip here,
# and Python 3.12 for gpt-oss.
set -euo pipefail

declare -A requirements=(
  [exa]="exa-py==2.28.0"
  [exec]="aiohttp==3.14.5 haystack-ai==3.4.1 httpx==0.28.1 markdownify requests==2.34.2 smolagents==1.26.0 tavily-haystack==2.0.0 uvloop==0.23.0"
  [fastmcp]="fastmcp==4.2.3"
  [firecrawl]="firecrawl-py==4.55.0"
  [gpt-oss]="gpt-oss==0.0.9"
  [langchain-community]="langchain-community==0.4.2"
  [lcmcp]="langchain-mcp-adapters==0.3.2"
  [mcp1]="mcp==1.30.0"
  [mcp2]="mcp==2.3.0"
  [openai-agents]="openai-agents==0.24.0"
  [qwen-agent]="qwen-agent==0.0.34 mcp==1.30.0 lxml beautifulsoup4 soundfile python-dateutil tqdm"
  [schemathesis]="schemathesis==4.32.5"
  [smolagents]="smolagents==1.26.0 markdownify requests"
  [tavily]="tavily-python==0.8.5 langchain-tavily==0.2.18"
)

folder=$1
shift
names=("${@:-${!requirements[@]}}")
for name in ${names[*]}; do
  python=3.11
  [[ $name == gpt-oss ]] && python=3.12
  uv venv --quiet --allow-existing --python ">=$python" "$folder/$name"
  # shellcheck disable=SC2086 # a list of requirements
  uv pip install --quiet --python "$folder/$name/bin/python" ${requirements[$name]}
  echo "$name: ${requirements[$name]}"
done
