import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { Storage, WeightTensor } from "@pt2/format";
import type { PlanSource } from "../addon.ts";
import { encodeProgram } from "../encode/encode-program.ts";
import { exactJson } from "../exact-json.ts";
import type { Prologue } from "../optimized-program.ts";
import type { Router } from "../routes.ts";

/** Namespaces of ops whose code comes with libtorch or this package. */
const KNOWN_OPS = /^(aten|prims|pt2|mkldnn)::/;

/** What the values of a prologue depend on. */
export interface KeyOptions {
  /** Names the code that computes and the processor that it computes for. */
  readonly stamp: string;
  readonly device: string;
  readonly router: Router;
}

/** The key of the values of a prologue, and the storages that they are computed from; or why there is none. */
export type EntryKey = { readonly key: string; readonly storages: readonly Storage[] } | { readonly why: string };

/**
 * Makes the key under which the values of a prologue are kept: a hash of its nodes and of what they read. Weights are
 * named by the size and the CRC-32 that the archive states, which are compared with the bytes before anything is kept,
 * and by when the file was changed: so a file that is replaced has another key, and one that was changed in place
 * without its checksums, too. To hash the bytes each time would take as long as packing them.
 */
export async function entryKey(
  { program, targets }: Prologue,
  weights: ReadonlyMap<string, WeightTensor>,
  { stamp, device, router }: KeyOptions,
): Promise<EntryKey> {
  const { plan, inputs } = encodeProgram(program, { device, routeOf: (node) => router.routeOf(node) });
  if (!isKnown(plan)) return { why: "they are computed by ops of libraries, which may change" };
  const read = inputs.map((spec) => ("target" in spec ? weights.get(spec.target) : undefined));
  const facts: unknown[] = [];
  const changed = new Map<string, bigint>();
  for (const weight of read) {
    const origin = (await weight?.storage.locate?.()) ?? null;
    if (weight?.storage.crc32 === undefined || origin?.kind !== "file")
      return { why: "weights are not those of an archive on disk with checksums" };
    const { path } = origin;
    if (!changed.has(path)) changed.set(path, (await stat(path, { bigint: true })).mtimeNs);
    const { dtype, shape, strides, storageOffset, storage } = weight;
    facts.push([dtype, shape, strides, storageOffset, storage.nbytes, storage.crc32, changed.get(path)]);
  }
  const text = exactJson([stamp, device, plan.graphs, targets, facts]);
  return {
    key: createHash("sha256").update(text).digest("hex"),
    storages: [...new Set(read.map((weight) => weight!.storage))],
  };
}

function isKnown({ graphs }: PlanSource): boolean {
  return graphs.every(({ nodes }) => nodes.every(({ kind, op }) => kind === "op" && KNOWN_OPS.test(op)));
}
