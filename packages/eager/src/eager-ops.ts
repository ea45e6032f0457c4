import { BACKEND_API_VERSION, type Backend } from "@pt2/backend";
import { requireOptions } from "@pt2/format/options";
import { createRegistry, type OpSet } from "@pt2/registry";
import { atenOnDemand } from "@pt2/registry/on-demand";
import type { Aten } from "./aten.gen.ts";
import { EagerCalls } from "./eager-calls.ts";
import { eagerError } from "./eager-errors.ts";
import { Evaluator } from "./evaluator.ts";
import { type Namespace, namespaces } from "./namespaces.ts";

/** What {@link eagerOps} takes beside the backend. */
export interface EagerOptions {
  /** Op sets of your own, whose ops are in `ops`. */
  readonly ops?: readonly OpSet[];
  /**
   * `exact` forbids reordering and fusion that change bits: results are those of calls that run one by one.
   *
   * @default exact
   */
  readonly precision?: "exact" | "fast";
  /**
   * The most compiled programs that are kept; the one that was used least recently is disposed.
   *
   * @default 128
   */
  readonly programs?: number;
}

const OPTIONS: Readonly<Record<keyof EagerOptions, string>> = {
  ops: "array",
  precision: '"fast" | "exact"',
  programs: "number",
};

/** Ops as functions. */
export interface EagerOps extends AsyncDisposable {
  /** PyTorch's own ops: `aten.add(x, 1)`, `aten.add.Tensor(x, y)`. */
  readonly aten: Aten;
  /** The ops of all op sets by namespace: `ops.mine.bend(x)`. */
  readonly ops: Readonly<Record<string, Namespace>>;
  /** The backend that computes. */
  readonly backend: Backend;
  /** Disposes the compiled programs. Tensors stay, and so does the backend. Idempotent. */
  dispose(): Promise<void>;
}

/**
 * Makes ops that are called one by one, as in Python, on any backend. All rules of ops are loaded before, so calls
 * return tensors at once; their elements are computed when they are read.
 */
export async function eagerOps(backend: Backend | Promise<Backend>, options: EagerOptions = {}): Promise<EagerOps> {
  const made = await backend;
  requireOptions("eagerOps()", options, OPTIONS, "eager.options");
  const { ops = [], precision = "exact", programs = 128 } = options;
  const isBackend = typeof made?.compile === "function" && made.apiVersion === BACKEND_API_VERSION;
  if (!isBackend || !Number.isSafeInteger(programs) || programs < 1) {
    const { problemOf } = await import("./refused-options.ts");
    throw eagerError(...problemOf(made, programs, BACKEND_API_VERSION));
  }
  const registry = createRegistry({ sets: [...atenOnDemand, ...ops] });
  await registry.load("all");
  const evaluator = new Evaluator(made, registry, { precision, programs });
  const all = namespaces(registry, new EagerCalls(registry, evaluator));
  const dispose = async (): Promise<void> => evaluator.dispose();
  return { aten: all.aten as unknown as Aten, ops: all, backend: made, dispose, [Symbol.asyncDispose]: dispose };
}
