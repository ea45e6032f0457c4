import type { HostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { expect } from "vitest";
import { WasmBackend } from "../backend.ts";
import { divided } from "./divided.test-helper.ts";

const registry = registryOf();

/** Runs the body of a program by 1, 2 and 5 threads, which must return the same bytes. */
export async function runByAnyThreads(
  body: string,
  inputs: readonly HostTensor[],
  weights: Readonly<Record<string, HostTensor>> = {},
): Promise<readonly HostTensor[]> {
  const all: (readonly HostTensor[])[] = [];
  for (const threads of [1, 2, 5]) {
    await using backend = new WasmBackend(divided(threads));
    const executable = await backend.compile({ program: programOf(body), weights: weightsOf(weights), registry });
    all.push((await executable.run(inputs)) as readonly HostTensor[]);
    await executable.dispose();
  }
  // Not `toEqual`: it takes seconds for what one comparison tells, and another NaN is another result.
  for (const results of all.slice(1)) {
    expect(results.map((result, i) => Buffer.compare(bytesOf(result), bytesOf(all[0]![i]!)))).toEqual(
      results.map(() => 0),
    );
  }
  return all[0]!;
}

function bytesOf({ data }: HostTensor): Uint8Array {
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}
