import { type Executable, type HostTensor, hostTensor, numel, type Tensor, type Value } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import { type Program, parse } from "@pt2/graph";
import { createRegistry, type OpHandler, type OpRegistry, type OpSet } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { weightOf } from "./weight-of.ts";

/** Makes a registry of PyTorch's ops, and of other op sets if given. */
export function registryOf(handlers: readonly OpHandler[] = [], sets: readonly OpSet[] = []): OpRegistry {
  return createRegistry({ sets: [aten, ...sets], handlers });
}

/** Makes a program from the lines of its body. */
export function programOf(body: string): Program {
  return parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`);
}

/** Makes a float32 tensor. */
export function floats(shape: readonly number[], ...elements: readonly number[]): HostTensor {
  return hostTensor("float32", shape, Float32Array.from(elements));
}

/** Makes an int64 tensor. */
export function ints(shape: readonly number[], ...elements: readonly number[]): HostTensor {
  return hostTensor("int64", shape, BigInt64Array.from(elements, BigInt));
}

/** Makes a float32 tensor of varied numbers in [-1, 1]: neighbors differ. */
export function someFloats(...shape: readonly number[]): HostTensor {
  const elements = Float32Array.from({ length: numel(shape) }, (_, i) => ((i * 37) % 101) / 50 - 1);
  return hostTensor("float32", shape, elements);
}

/** Makes the map of weights that `compile` takes. */
export function weightsOf(tensors: Readonly<Record<string, HostTensor>>): ReadonlyMap<string, WeightTensor> {
  return new Map(Object.entries(tensors).map(([name, tensor]) => [name, weightOf(name, tensor)]));
}

/** Reads the elements of tensors as numbers; returns other values as they are. */
export async function elementsOf(values: readonly Value[]): Promise<readonly unknown[]> {
  return await Promise.all(
    values.map(async (value) =>
      typeof value === "object" && value !== null ? Array.from(await (value as Tensor).read(), Number) : value,
    ),
  );
}

/** Runs once, and returns the elements of the results. */
export async function run(executable: Executable, ...inputs: readonly Value[]): Promise<readonly unknown[]> {
  return await elementsOf(await executable.run(inputs));
}

/** Returns what a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );
}
