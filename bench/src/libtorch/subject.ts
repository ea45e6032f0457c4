// Runs a model in Node in one way: `subject.ts KIND MODELS NAME THREADS`, with the protocol of subject.py. KIND is
// exact, fast (ours) or onnx. The first line reports the worst error against PyTorch too, as a fraction of the
// tolerance.

import { join } from "node:path";
import type { HostTensor } from "@pt2/backend";
import { answerRuns } from "../subject-process.ts";
import { readTensors, worstOf } from "../tensors.ts";
import { type Opened, openOnnx, openOurs } from "./runtimes.ts";

const [kind, folder, name, threads] = process.argv.slice(2) as [string, string, string, string];
const path = join(folder, name);
const inputs = await readTensors(`${path}.inputs.safetensors`);
const start = performance.now();
const seconds = (): number => (performance.now() - start) / 1000;
const opened: Opened =
  kind === "onnx"
    ? await openOnnx(`${path}.onnx`, inputs, Number(threads))
    : await openOurs(`${path}.pt2`, inputs, Number(threads), kind === "exact" ? "exact" : "fast");
const load = seconds();
const outputs = await opened.run();
const first = seconds();
const expected: readonly HostTensor[] = await readTensors(`${path}.expected.safetensors`);
const error = worstOf(outputs, expected);
await answerRuns({ load, first, error }, () => opened.run());
