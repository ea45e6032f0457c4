import { isComplexDtype, KernelSet } from "@pt2/engine";
import type { OpName } from "@pt2/graph";
import type { ArgValue, Call, OpRegistry, Part } from "@pt2/registry";
import { loadCode } from "@pt2/registry/on-demand";
import type { WebgpuKernel } from "./kernel.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Finds the kernel that takes a call. */
export interface Kernels {
  /** Returns the kernel; undefined if there is none, null while one that may come first is not loaded. */
  find(op: OpName, args: Args): WebgpuKernel | undefined | null;
  /** Loads the next kernels that may take calls of an op. */
  load(op: OpName): Promise<void>;
  /** Returns the kernel of a call that `find` had one for. */
  get(call: Call): WebgpuKernel | undefined;
}

/** Kernels by op. Only kernels that declare it take calls with complex numbers. */
class LoadedKernels extends KernelSet<WebgpuKernel> {
  readonly #complex: KernelSet<WebgpuKernel>;

  constructor(kernels: readonly WebgpuKernel[]) {
    super(kernels);
    this.#complex = new KernelSet(kernels.filter(({ complex }) => complex === true));
  }

  override find(op: OpName, args: Args): WebgpuKernel | undefined {
    return Object.values(args).some(isComplex) ? this.#complex.find(op, args) : super.find(op, args);
  }
}

/** Kernels in parts, which are loaded for the ops that they may have kernels of. */
export class KernelParts {
  readonly #parts: readonly Part<WebgpuKernel>[];
  readonly #loaded = new Map<Part<WebgpuKernel>, LoadedKernels>();

  constructor(parts: readonly Part<WebgpuKernel>[]) {
    this.#parts = parts;
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
  find(op: OpName, args: Args): WebgpuKernel | undefined | null {
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

  async #load(part: Part<WebgpuKernel>): Promise<void> {
    if (this.#loaded.has(part)) return;
    const kernels = await part.load();
    if (!this.#loaded.has(part)) this.#loaded.set(part, new LoadedKernels(kernels));
  }
}

/** Returns the kernels for a registry: those of op packages come first, then the backend's own. */
export function kernelsOf(registry: OpRegistry, own: KernelParts): Kernels {
  const first = new LoadedKernels(registry.kernelsFor("webgpu") as readonly WebgpuKernel[]);
  // The kernels here do not compute an op that an op set has replaced.
  const find: Kernels["find"] = (op, args) =>
    first.find(op, args) ?? (registry.isReplaced(op) ? undefined : own.find(op, args));
  return { find, load: (op) => own.load(op), get: ({ record, args }) => find(record.name, args) ?? undefined };
}

/** Whether an argument is a complex tensor or number, the name of a complex dtype, or a list with one. */
function isComplex(value: ArgValue | undefined): boolean {
  if (typeof value === "string") return value.startsWith("complex");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isComplex);
  return "re" in value || ("dtype" in value && isComplexDtype(value.dtype));
}
