# What slime is told of this export: source it in a training script of slime's, and pass "${WORLDSMITH_ARGS[@]}" last.
WORLDSMITH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
WORLDSMITH_ARGS=(
  --prompt-data "$WORLDSMITH/train.jsonl"
  --input-key prompt
  --label-key label
  --metadata-key metadata
  --apply-chat-template
  --rollout-shuffle
  --rollout-max-response-len @RESPONSE@
  --custom-generate-function-path worldsmith_slime.generate
  --custom-rollout-log-function-path worldsmith_slime.add_figures
  --eval-prompt-data worldsmith "$WORLDSMITH/test.jsonl"
  --eval-max-response-len @RESPONSE@
)
