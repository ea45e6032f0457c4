import type { OpName } from "@pt2/graph";
import type { ArgValue, Call, LowerTarget, OpRegistry, Part } from "@pt2/registry";
import { loadCode } from "@pt2/registry/on-demand";
import { KernelSet, type OpKernel } from "./kernel-set.ts";
import { packagedKernel } from "./packaged-kernel.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Finds the kernel that takes a call. */
export interface KernelTable<Kernel extends OpKernel> {
  /** Returns the kernel; undefined if there is none, null while one that may come first is not loaded. */
  find(op: OpName, args: Args): Kernel | undefined | null;
  /** Loads the next kernels that may take calls of an op. */
  load(op: OpName): Promise<void>;
  /** Returns the kernel of a call that `find` had one for. */
  get(call: Call): Kernel | undefined;
  /** Returns the ops that the backend runs itself, by these kernels: for lowering, and for `unsupported`. */
  target(maxTensorBytes?: number): LowerTarget;
}

/** The kernels of a backend in parts, which are loaded for the ops that they may have kernels of. */
export class KernelParts<Kernel extends OpKernel> {
  readonly #parts: readonly Part<Kernel>[];
  readonly #setOf: (kernels: readonly Kernel[]) => KernelSet<Kernel>;
  readonly #loaded = new Map<Part<Kernel>, KernelSet<Kernel>>();

  /** `setOf` makes the set of the kernels of a part. */
  constructor(
    parts: readonly Part<Kernel>[],
    setOf: (kernels: readonly Kernel[]) => KernelSet<Kernel> = (kernels) => new KernelSet(kernels),
  ) {
    this.#parts = parts;
    this.#setOf = setOf;
  }

  /** Starts to load the first part for each of these ops: all at once, not one after the other. */
  begin(ops: Iterable<OpName>): void {
    for (const op of ops) {
      const part = this.#parts.find((candidate) => candidate.ops.test(op));
      // A failure is reported where the part is needed.
      if (part !== undefined) this.#load(part).catch(() => {});
    }
  }

  /** Returns the first kernel that takes the call, in the order of the parts; null where one is reached that is not loaded. */
  find(op: OpName, args: Args): Kernel | undefined | null {
    for (const part of this.#parts) {
      if (!part.ops.test(op)) continue;
      const kernels = this.#loaded.get(part);
      if (kernels === undefined) return null;
      const kernel = kernels.find(op, args);
      if (kernel !== undefined) return kernel;
    }
    return undefined;
  }

  /** Loads the first part for an op that is not loaded. */
  async load(op: OpName): Promise<void> {
    const part = this.#parts.find((candidate) => candidate.ops.test(op) && !this.#loaded.has(candidate));
    if (part !== undefined) await loadCode(`the kernel of ${op}`, () => this.#load(part));
  }

  /** Returns the kernels for a registry: those that op packages bring for the backend come first, then these. */
  for(registry: OpRegistry, backend: string): KernelTable<Kernel> {
    const first = this.#setOf((registry.kernelsFor(backend) as readonly Kernel[]).map(packagedKernel));
    // The kernels here do not compute an op that an op set has replaced.
    const find: KernelTable<Kernel>["find"] = (op, args) =>
      first.find(op, args) ?? (registry.isReplaced(op) ? undefined : this.find(op, args));
    const load = (op: OpName): Promise<void> => this.load(op);
    return {
      find,
      load,
      get: ({ record, args }) => find(record.name, args) ?? undefined,
      target: (maxTensorBytes) => ({
        name: backend,
        ...(maxTensorBytes === undefined ? {} : { maxTensorBytes }),
        isNative(op, args) {
          const kernel = find(op, args);
          return kernel === null ? null : kernel !== undefined;
        },
        loadKernels: load,
      }),
    };
  }

  async #load(part: Part<Kernel>): Promise<void> {
    if (this.#loaded.has(part)) return;
    const kernels = await part.load();
    if (!this.#loaded.has(part)) this.#loaded.set(part, this.#setOf(kernels));
  }
}
