import { readFile } from "node:fs/promises";
import type { HostTensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { prepare } from "@pt2/runtime";
import { InferenceSession, Tensor } from "onnxruntime-node";

/** A loaded model with its inputs. */
export interface Opened {
  run(): Promise<readonly ArrayLike<number | bigint>[]>;
}

/**
 * Opens a model with `@pt2/backend-libtorch`. Inputs are flat, so the program is compiled without the runtime around
 * it.
 */
export async function openOurs(
  path: string,
  inputs: readonly HostTensor[],
  threads: number,
  precision: "exact" | "fast",
): Promise<Opened> {
  const backend = await libtorch({ threads });
  const archive = await openArchive(await fromFile(path));
  const registry = createRegistry({ sets: [aten] });
  const program = await prepare(importProgram(await archive.program()), registry, backend.capabilities);
  const executable = await backend.compile({ program, weights: await archive.weights(), registry, precision });
  return {
    run: async () => (await executable.run(inputs)).map((value) => (value as HostTensor).data as ArrayLike<number>),
  };
}

interface OnnxNames {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Opens a model with ONNX Runtime's own binding for Node, on the CPU. */
export async function openOnnx(path: string, inputs: readonly HostTensor[], threads: number): Promise<Opened> {
  const session = await InferenceSession.create(path, {
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  });
  const names = JSON.parse(await readFile(`${path}.json`, "utf8")) as OnnxNames;
  const feeds = Object.fromEntries(
    inputs.map(({ dtype, data, shape }, i) => [
      names.inputs[i] ?? String(i),
      new Tensor(dtype as "float32", data as Float32Array, [...shape]),
    ]),
  );
  return {
    run: async () => {
      const results = await session.run(feeds);
      return names.outputs.map((name) => results[name]?.data as ArrayLike<number>);
    },
  };
}
