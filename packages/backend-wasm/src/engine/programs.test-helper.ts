import type { HostTensor, TypedArray, Value } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { WasmBackend } from "../backend.ts";

const registry = registryOf();

/** Runs the body of a program, one run after the other; tensors are returned as arrays of their elements. */
export async function runBody(
  body: string,
  runs: readonly (readonly Value[])[],
  weights: Readonly<Record<string, HostTensor>> = {},
  precision: "exact" | "fast" = "fast",
): Promise<readonly (readonly unknown[])[]> {
  const backend = new WasmBackend();
  const executable = await backend.compile({
    program: programOf(body),
    weights: weightsOf(weights),
    registry,
    precision,
  });
  const results: (readonly unknown[])[] = [];
  for (const inputs of runs) results.push((await executable.run(inputs)).map(elementsOf));
  await backend.dispose();
  return results;
}

function elementsOf(value: Value): unknown {
  return typeof value === "object" && value !== null ? Array.from<unknown>(value.data as TypedArray) : value;
}
