#!/usr/bin/env bash
# GRPO with verl 0.9 on these tasks. Start the server first: worldsmith serve WORLDS --port 8000
# MODEL, GPUS, BATCH, RESPONSE and TURNS may be set in the environment; further overrides go on the command line.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export PYTHONPATH="$HERE${PYTHONPATH:+:$PYTHONPATH}"

python3 -m verl.trainer.main_ppo \
  algorithm.adv_estimator=grpo \
  data.train_files="$HERE/train.parquet" \
  data.val_files="$HERE/test.parquet" \
  data.return_raw_chat=True \
  data.max_prompt_length=@PROMPT@ \
  data.max_response_length="${RESPONSE:-@RESPONSE@}" \
  data.train_batch_size="${BATCH:-@BATCH@}" \
  actor_rollout_ref.model.path="${MODEL:-Qwen/Qwen3-4B-Instruct-2507}" \
  actor_rollout_ref.actor.ppo_mini_batch_size="${BATCH:-@BATCH@}" \
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 \
  actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.mode=async \
  actor_rollout_ref.rollout.n=8 \
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1 \
  actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=1 \
  actor_rollout_ref.rollout.multi_turn.enable=True \
  actor_rollout_ref.rollout.multi_turn.format=hermes \
  actor_rollout_ref.rollout.multi_turn.tool_config_path="$HERE/tools.yaml" \
  actor_rollout_ref.rollout.multi_turn.max_assistant_turns="${TURNS:-@LIMIT@}" \
  actor_rollout_ref.rollout.multi_turn.max_parallel_calls=4 \
  actor_rollout_ref.rollout.multi_turn.max_tool_response_length=16384 \
  actor_rollout_ref.rollout.multi_turn.tool_response_truncate_side=right \
  reward.custom_reward_function.path="$HERE/reward.py" \
  reward.custom_reward_function.name=compute_score \
  trainer.n_gpus_per_node="${GPUS:-8}" \
  trainer.nnodes=1 \
  trainer.project_name=worldsmith \
  trainer.experiment_name=grpo \
  "$@"
