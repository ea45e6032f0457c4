import { type Executable, type HostTensor, hostTensor, numel, type Tensor, type Value } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import { type Program, parse } from "@pt2/graph";
import { createRegistry, type OpHandler, type OpRegistry, type OpSet } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { weightOf } from "./weight-of.ts";

/** PyTorch's ops, and perhaps others. */
export function registryOf(handlers: readonly OpHandler[] = [], sets: readonly OpSet[] = []): OpRegistry {
  return createRegistry({ sets: [aten, ...sets], handlers });
}

/** A program from the lines of its body. */
export function programOf(body: string): Program {
  return parse(`program "TRAINING" torch "2.13.0" {\n  forward()\n  ${body.trim()}\n}\n`);
}

/** A float32 tensor. */
export function floats(shape: readonly number[], ...elements: readonly number[]): HostTensor {
  return hostTensor("float32", shape, Float32Array.from(elements));
}

/** An int64 tensor. */
export function ints(shape: readonly number[], ...elements: readonly number[]): HostTensor {
  return hostTensor("int64", shape, BigInt64Array.from(elements, BigInt));
}

/** A float32 tensor of numbers in [-1, 1] that differ from their neighbours. */
export function someFloats(...shape: readonly number[]): HostTensor {
  const elements = Float32Array.from({ length: numel(shape) }, (_, i) => ((i * 37) % 101) / 50 - 1);
  return hostTensor("float32", shape, elements);
}

/** The table of weights that `compile` takes. */
export function weightsOf(tensors: Readonly<Record<string, HostTensor>>): ReadonlyMap<string, WeightTensor> {
  return new Map(Object.entries(tensors).map(([name, tensor]) => [name, weightOf(name, tensor)]));
}

/** Elements of tensors as numbers; other results as they are. */
export async function elementsOf(values: readonly Value[]): Promise<readonly unknown[]> {
  return await Promise.all(
    values.map(async (value) =>
      typeof value === "object" && value !== null ? Array.from(await (value as Tensor).read(), Number) : value,
    ),
  );
}

/** Runs once, and gives the elements of the results. */
export async function run(executable: Executable, ...inputs: readonly Value[]): Promise<readonly unknown[]> {
  return await elementsOf(await executable.run(inputs));
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );
}
