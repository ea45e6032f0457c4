import { conformanceError } from "../conformance-errors.ts";
import type { CaseFamily } from "./case-types.ts";

/** A family of ops, which has one file of cases. */
export type FamilyName =
  | "attention"
  | "binary"
  | "cast"
  | "compare"
  | "complex"
  | "conv"
  | "factories"
  | "index"
  | "inplace"
  | "linalg"
  | "loss"
  | "matmul"
  | "misc"
  | "norm"
  | "pointwise"
  | "pool"
  | "quantized"
  | "reduce"
  | "resize"
  | "rnn"
  | "scatter"
  | "sort"
  | "unsigned"
  | "views";

/** The loaders of the case files: only the families under test are read. */
const LOADERS: Readonly<Record<FamilyName, () => Promise<{ readonly default: unknown }>>> = {
  attention: () => import("../cases/attention.json", { with: { type: "json" } }),
  binary: () => import("../cases/binary.json", { with: { type: "json" } }),
  cast: () => import("../cases/cast.json", { with: { type: "json" } }),
  compare: () => import("../cases/compare.json", { with: { type: "json" } }),
  complex: () => import("../cases/complex.json", { with: { type: "json" } }),
  conv: () => import("../cases/conv.json", { with: { type: "json" } }),
  factories: () => import("../cases/factories.json", { with: { type: "json" } }),
  index: () => import("../cases/index.json", { with: { type: "json" } }),
  inplace: () => import("../cases/inplace.json", { with: { type: "json" } }),
  linalg: () => import("../cases/linalg.json", { with: { type: "json" } }),
  loss: () => import("../cases/loss.json", { with: { type: "json" } }),
  matmul: () => import("../cases/matmul.json", { with: { type: "json" } }),
  misc: () => import("../cases/misc.json", { with: { type: "json" } }),
  norm: () => import("../cases/norm.json", { with: { type: "json" } }),
  pointwise: () => import("../cases/pointwise.json", { with: { type: "json" } }),
  pool: () => import("../cases/pool.json", { with: { type: "json" } }),
  quantized: () => import("../cases/quantized.json", { with: { type: "json" } }),
  reduce: () => import("../cases/reduce.json", { with: { type: "json" } }),
  resize: () => import("../cases/resize.json", { with: { type: "json" } }),
  rnn: () => import("../cases/rnn.json", { with: { type: "json" } }),
  scatter: () => import("../cases/scatter.json", { with: { type: "json" } }),
  sort: () => import("../cases/sort.json", { with: { type: "json" } }),
  unsigned: () => import("../cases/unsigned.json", { with: { type: "json" } }),
  views: () => import("../cases/views.json", { with: { type: "json" } }),
};

/** The names of all families, in alphabetical order. */
export const FAMILIES: readonly FamilyName[] = Object.keys(LOADERS) as FamilyName[];

/** Reads the cases of one family. */
export async function loadFamily(name: FamilyName): Promise<CaseFamily> {
  if (!Object.hasOwn(LOADERS, name)) {
    throw conformanceError("conformance.options", {
      what: `There is no family "${name}"`,
      advice: `The families are ${FAMILIES.join(", ")}.`,
    });
  }
  return (await LOADERS[name]()).default as unknown as CaseFamily;
}
