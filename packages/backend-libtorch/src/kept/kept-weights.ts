import { createHash } from "node:crypto";
import { mkdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { contiguousStrides, DTYPES, numel, type Storage, type WeightTensor } from "@pt2/format";
import { definitionsOf, valuesOf } from "@pt2/graph";
import type { LibtorchInfo, NativeTensor } from "../addon.ts";
import type { Prologue } from "../optimized-program.ts";
import { restOf } from "../prologue.ts";
import type { Router } from "../routes.ts";
import { type EntryAddon, readEntry, writeEntry } from "./entry-file.ts";
import { entryKey } from "./entry-key.ts";
import { makeRoom } from "./make-room.ts";

/** Where packed weights are kept, and how many bytes of them. */
export interface KeptOptions {
  readonly folder: string;
  readonly maxBytes: number;
}

/** What was found for one prologue. */
export interface Found {
  /** The values that were kept, by target. */
  readonly tensors: ReadonlyMap<string, NativeTensor>;
  /** What is still to be computed. */
  readonly rest: Prologue | null;
  /** Keeps the values that were computed, where none were found. Returns what became of it; it never fails. */
  keep(made: ReadonlyMap<string, NativeTensor>): Promise<string>;
}

/**
 * Keeps the values of prologues, packed weights, in a folder: one file for each program, which later loads map. A file that is
 * damaged is made anew, and what cannot be written is not kept.
 */
export class KeptWeights {
  readonly #addon: EntryAddon;
  readonly #options: KeptOptions;
  readonly #stamp: string;

  private constructor(addon: EntryAddon, stamp: string, options: KeptOptions) {
    this.#addon = addon;
    this.#stamp = stamp;
    this.#options = options;
  }

  /** `module` is the file of the native module: another one may pack otherwise. */
  static async create(
    addon: EntryAddon & { info(): LibtorchInfo },
    module: string,
    options: KeptOptions,
  ): Promise<KeptWeights> {
    const code = createHash("sha256")
      .update(await readFile(module))
      .digest("hex");
    const { version, cpuCapability } = addon.info();
    return new KeptWeights(addon, [code, version, process.arch, cpuCapability].join(), options);
  }

  /** Looks for the values of a prologue. */
  async find(
    prologue: Prologue,
    weights: ReadonlyMap<string, WeightTensor>,
    place: { readonly device: string; readonly router: Router },
  ): Promise<Found> {
    const nothing = { tensors: new Map(), rest: prologue };
    const named = await entryKey(prologue, weights, { stamp: this.#stamp, ...place });
    if ("why" in named) return { ...nothing, keep: async () => notKept(named.why) };
    const { key, storages } = named;
    const file = join(this.#options.folder, `${key}.weights`);
    const tensors = await this.#read(file, key);
    if (tensors === null) return { ...nothing, keep: (made) => this.#keep(file, key, prologue, storages, made) };
    return {
      tensors,
      rest: restOf(prologue, new Set(tensors.keys())),
      keep: async () => `packed weights are those of ${file}`,
    };
  }

  async #read(file: string, key: string): Promise<ReadonlyMap<string, NativeTensor> | null> {
    try {
      const tensors = await readEntry(file, key, this.#addon);
      const now = new Date();
      // What was used last is removed last. A folder that cannot be written can still be read.
      if (tensors !== null) await utimes(file, now, now).catch(() => undefined);
      return tensors;
    } catch {
      return null;
    }
  }

  async #keep(
    file: string,
    key: string,
    prologue: Prologue,
    storages: readonly Storage[],
    made: ReadonlyMap<string, NativeTensor>,
  ): Promise<string> {
    const { folder, maxBytes } = this.#options;
    try {
      const tensors = keepable(prologue, made);
      const bytes = [...tensors.values()].reduce(
        (sum, { dtype, shape }) => sum + numel(shape) * DTYPES[dtype].itemsize,
        0,
      );
      if (bytes === 0) return notKept("there are none that other loads could map");
      if (bytes > maxBytes) return notKept(`they take ${bytes} bytes, and the cache may take ${maxBytes}`);
      if (!(await areStated(storages))) return notKept("the archive's checksums are not those of its bytes");
      await mkdir(folder, { recursive: true });
      await writeEntry(file, key, tensors, this.#addon);
      await makeRoom(folder, maxBytes);
      return `packed weights are kept in ${file}`;
    } catch (problem) {
      return notKept(problem instanceof Error ? problem.message : String(problem));
    }
  }
}

function notKept(why: string): string {
  return `packed weights are not kept: ${why}`;
}

/** Returns whether the CRC-32 of each storage is that of its bytes. Some writers state others. */
async function areStated(storages: readonly Storage[]): Promise<boolean> {
  for (const storage of storages) if (crc32(await storage.read()) !== storage.crc32) return false;
  return true;
}

/** Returns the values that are row-major in memory of the CPU. oneDNN has formats of its own, which it does not tell. */
function keepable(
  { program, targets }: Prologue,
  made: ReadonlyMap<string, NativeTensor>,
): ReadonlyMap<string, NativeTensor> {
  const { nodes, outputs } = program.graph;
  const opaque = new Set(nodes.filter(({ op }) => op.startsWith("mkldnn::")).flatMap(definitionsOf));
  const kept = targets.flatMap((target, i) => {
    const tensor = valuesOf(outputs[i]!).some((name) => opaque.has(name)) ? undefined : made.get(target);
    return tensor !== undefined && numel(tensor.shape) > 0 && isRowMajor(tensor) ? [[target, tensor] as const] : [];
  });
  return new Map(kept);
}

function isRowMajor({ device, shape, strides }: NativeTensor): boolean {
  const rowMajor = contiguousStrides(shape);
  return device === "cpu" && strides.every((stride, d) => stride === rowMajor[d]);
}
