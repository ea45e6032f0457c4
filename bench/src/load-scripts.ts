// The code of the measured processes of the cold load. Each prints a JSON line; imports end before the clock starts.

/** Runs `torch.export.load`, then one call of the module. */
export const PYTHON_LOAD = `
import json, resource, sys, time
import torch, torch.export
from safetensors.torch import load_file
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
torch.set_num_threads(1)
inputs = [value for _, value in sorted(load_file(sys.argv[2]).items())]
before = peak()
start = time.perf_counter()
program = torch.export.load(sys.argv[1])
seconds = time.perf_counter() - start
top = peak()
with torch.no_grad(): program.module()(*inputs)
print(json.dumps({"seconds": seconds, "firstAnswer": time.perf_counter() - start, "peak": top, "before": before}))
`;

/** Runs `load` on this thread, then one run. */
export const NODE_LOAD = `
import { wasm } from "@pt2/backend-wasm/node";
import { readSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { load, tensor } from "@pt2/runtime/node";
const [file, inputFile] = process.argv.slice(1);
const peak = () => process.resourceUsage().maxRSS * 1024;
const source = await fromFile(inputFile);
const { tensors } = await readSafetensors(source);
await source.close();
const inputs = [...tensors.values()].map(({ shape, bytes }) =>
  tensor("float32", shape, new Float32Array(bytes.slice().buffer)));
const before = peak();
const start = performance.now();
const model = await load(file, { backend: wasm({ worker: false }) });
const seconds = (performance.now() - start) / 1000;
const top = peak();
await model.forward(...inputs);
const firstAnswer = (performance.now() - start) / 1000;
console.log(JSON.stringify({ seconds, firstAnswer, peak: top, before }));
process.exit(0);
`;
