import type { Backend, HostTensor } from "@pt2/backend";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, type Program } from "@pt2/graph";
import { createRegistry, type OpRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { prepare } from "@pt2/runtime";

type Backends = Readonly<Record<string, () => Promise<Backend>>>;

/** Backends by name, which compute on so many threads where they have threads. */
export function backendsOn(threads: number): Backends {
  return {
    wasm: async () => (await import("@pt2/backend-wasm/node")).wasm({ worker: false, threads }),
    webgpu: async () => (await import("@pt2/backend-webgpu/node")).webgpu(),
    libtorch: async () => (await import("@pt2/backend-libtorch/node")).libtorch({ threads }),
  };
}

/** Backends that compute on one thread. */
export const BACKENDS: Backends = backendsOn(1);

/** Runs a compiled program on the inputs that it was opened with. */
export type Run = () => Promise<readonly ArrayLike<number | bigint>[]>;

/** How a program is compiled. */
export interface OpenOptions {
  readonly precision?: "exact" | "fast";
  /** Rewrites the program that the backend gets. */
  readonly rewrite?: (program: Program, registry: OpRegistry) => Program;
}

/** A file's program on a backend, without the façade around it, as inputs are flat. */
export async function openFor(
  backend: Backend,
  path: string,
  inputs: readonly HostTensor[],
  { precision = "fast", rewrite = (program) => program }: OpenOptions = {},
): Promise<Run> {
  const archive = await openArchive(await fromFile(path));
  const registry = createRegistry({ sets: [aten] });
  const prepared = await prepare(importProgram(await archive.program()), registry, backend.capabilities);
  const program = rewrite(prepared, registry);
  const executable = await backend.compile({ program, weights: await archive.weights(), registry, precision });
  return async () => (await executable.run(inputs)).map((value) => (value as HostTensor).data as ArrayLike<number>);
}
