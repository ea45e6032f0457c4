import { type HostTensor, hostTensor, type TypedArray, type Value } from "@pt2/backend";
import { weightOf } from "@pt2/conformance";
import { parse } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { WasmBackend } from "../backend.ts";

const registry = createRegistry({ sets: [aten] });

/** Runs the body of a program, one run after the other; tensors come back as arrays of their elements. */
export async function runBody(
  body: string,
  runs: readonly (readonly Value[])[],
  weights: Readonly<Record<string, HostTensor>> = {},
  precision: "exact" | "fast" = "fast",
): Promise<readonly (readonly unknown[])[]> {
  const program = parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`);
  const table = new Map(Object.entries(weights).map(([name, tensor]) => [name, weightOf(name, tensor)]));
  const backend = new WasmBackend();
  const executable = await backend.compile({ program, weights: table, registry, precision });
  const results: (readonly unknown[])[] = [];
  for (const inputs of runs) results.push((await executable.run(inputs)).map(elementsOf));
  await backend.dispose();
  return results;
}

/** A float32 tensor. */
export function floats(shape: readonly number[], ...elements: readonly number[]): HostTensor {
  return hostTensor("float32", shape, Float32Array.from(elements));
}

function elementsOf(value: Value): unknown {
  return typeof value === "object" && value !== null ? Array.from<unknown>(value.data as TypedArray) : value;
}
