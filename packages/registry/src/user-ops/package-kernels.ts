import { closestName } from "@pt2/format/options";
import { type OpName, parseOpName } from "@pt2/graph";
import type { OpRecords } from "../op-records.ts";
import type { OpSet } from "../op-set.ts";
import { registryError } from "../registry-errors.ts";

/** The kernels that op sets provide. Only backends understand them; the registry just reads the names of their ops. */
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

  /** Returns the kernels for a backend, those of later sets first. */
  of(backend: string): readonly unknown[] {
    return this.#byBackend.get(backend) ?? [];
  }

  has(op: OpName, backend: string): boolean {
    return this.#ops.get(backend)?.has(op) === true;
  }

  /** Returns the backends that have a kernel for the op. */
  backendsOf(op: OpName): readonly string[] {
    return [...this.#ops].flatMap(([backend, ops]) => (ops.has(op) ? backend : []));
  }
}

/** Refuses kernels for ops that do not exist: they would never be called. */
export function requireKernelOps(sets: readonly OpSet[], records: Pick<OpRecords, "mayHave" | "names">): void {
  for (const { name, kernels = {} } of sets) {
    for (const [backend, brought] of Object.entries(kernels)) {
      const wrong = brought.flatMap(opsOf).find((op) => op !== parseOpName(op) || !records.mayHave(op));
      if (wrong === undefined) continue;
      const meant = records.mayHave(parseOpName(wrong)) ? parseOpName(wrong) : closestName(wrong, records.names);
      throw registryError("registry.kernels", {
        what: `Op set "${name}" has a kernel for ${backend} that names ${wrong}, which no op set defines${meant === undefined ? "" : `; did you mean ${meant}?`}`,
        advice: "write the name as `ns::op.overload`, and define the op: `defineOp(schema)` is enough",
        details: { op: wrong, backend },
      });
    }
  }
}

/** Returns the ops that a kernel is for; a shared library names them only when it is loaded. */
export function opsOf(kernel: unknown): readonly OpName[] {
  const ops = typeof kernel === "object" && kernel !== null && "ops" in kernel ? kernel.ops : [];
  return Array.isArray(ops) ? ops.filter((op) => typeof op === "string") : [];
}
