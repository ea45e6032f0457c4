import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "@pt2/backend";
import { findLibtorch, libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import type { LoadOptions } from "@pt2/runtime/node";
import { orWhyNot } from "@pt2/testing/or-why-not";

/** A backend, and how programs are loaded on it. */
export interface TestedBackend {
  readonly name: string;
  /** Why it is not available here, or null. */
  readonly missing: string | null;
  create(): Promise<Backend>;
  readonly precision?: LoadOptions["precision"];
}

/** Returns why libtorch is not available here, or null. */
export async function missingLibtorch(): Promise<string | null> {
  const made = await orWhyNot(libtorch());
  return typeof made === "string" ? made : null;
}

/** Returns why no shared library on PyTorch's stable ABI can be compiled here, or null. */
export async function missingStableLibtorch(): Promise<string | null> {
  const missing = await missingLibtorch();
  if (missing !== null) return missing;
  const { path } = await findLibtorch();
  const has = existsSync(join(path, "include/torch/csrc/stable/ops.h"));
  return has ? null : `the libtorch of ${path} is older than the stable ABI`;
}

/** Returns why WebGPU is not available here, or null. */
export async function missingWebgpu(): Promise<string | null> {
  const made = await orWhyNot(webgpu());
  if (typeof made === "string") return made;
  await made.dispose();
  return null;
}

/** Lists every backend that computes PyTorch's results, in every precision that it distinguishes. */
export async function testedBackends(): Promise<readonly TestedBackend[]> {
  const missing = await missingLibtorch();
  const shared = missing === null ? libtorch() : null;
  let gpu: Promise<Backend> | undefined;
  const create = (): Promise<Backend> => shared ?? libtorch();
  return [
    { name: "wasm", missing: null, create: async () => wasm({ worker: false }) },
    { name: "libtorch, exact", missing, create, precision: "exact" },
    { name: "libtorch, fast", missing, create, precision: "fast" },
    { name: "webgpu", missing: await missingWebgpu(), create: () => (gpu ??= webgpu({ narrowFloat64: true })) },
  ];
}
