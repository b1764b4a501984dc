#!/usr/bin/env bash
# GRPO with SkyRL 0.3 on these tasks. Start the server first: worldsmith serve WORLDS --port 8000
# MODEL, GPUS, BATCH and CONTEXT may be set in the environment; further settings go on the command line.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PYTHONPATH="$HERE${PYTHONPATH:+:$PYTHONPATH}"
CONTEXT="${CONTEXT:-@CONTEXT@}"
MESSAGE=4096

python3 "$HERE/main_worldsmith.py" \
  data.train_data="['$HERE/train.parquet']" \
  data.val_data="['$HERE/test.parquet']" \
  environment.env_class=worldsmith \
  trainer.algorithm.advantage_estimator=grpo \
  trainer.policy.model.path="${MODEL:-Qwen/Qwen3-4B-Instruct-2507}" \
  trainer.placement.colocate_all=true \
  trainer.placement.policy_num_gpus_per_node="${GPUS:-8}" \
  trainer.placement.ref_num_gpus_per_node="${GPUS:-8}" \
  trainer.train_batch_size="${BATCH:-@BATCH@}" \
  trainer.policy_mini_batch_size="${BATCH:-@BATCH@}" \
  trainer.max_prompt_length=@PROMPT@ \
  trainer.logger=console \
  generator.max_turns=@TURNS@ \
  generator.max_input_length="$CONTEXT" \
  generator.sampling_params.max_generate_length="$MESSAGE" \
  generator.n_samples_per_prompt=8 \
  generator.inference_engine.num_engines="${GPUS:-8}" \
  generator.inference_engine.tensor_parallel_size=1 \
  generator.inference_engine.engine_init_kwargs.max_model_len="$((CONTEXT + MESSAGE))" \
  "$@"
