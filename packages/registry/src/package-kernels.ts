import type { OpName } from "@pt2/graph";
import type { OpSet } from "./op-set.ts";

/** The kernels that op sets bring, which only backends understand; that they name their ops is all that is known here. */
export class PackageKernels {
  readonly #byBackend = new Map<string, readonly unknown[]>();
  readonly #ops = new Map<string, ReadonlySet<OpName>>();

  constructor(sets: readonly OpSet[]) {
    for (const { kernels = {} } of [...sets].reverse()) {
      for (const [backend, brought] of Object.entries(kernels)) {
        this.#byBackend.set(backend, [...this.of(backend), ...brought]);
      }
    }
    for (const [backend, kernels] of this.#byBackend) this.#ops.set(backend, new Set(kernels.flatMap(opsOf)));
  }

  /** Those of later sets first. */
  of(backend: string): readonly unknown[] {
    return this.#byBackend.get(backend) ?? [];
  }

  has(op: OpName, backend: string): boolean {
    return this.#ops.get(backend)?.has(op) === true;
  }
}

/** The ops that a kernel is for. A shared library says it to whom loads it. */
export function opsOf(kernel: unknown): readonly OpName[] {
  const ops = typeof kernel === "object" && kernel !== null && "ops" in kernel ? kernel.ops : [];
  return Array.isArray(ops) ? ops.filter((op) => typeof op === "string") : [];
}
