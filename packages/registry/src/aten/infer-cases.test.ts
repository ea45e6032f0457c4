import { Pt2Error } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { Emitter } from "../lower/emit.ts";
import type { LowerTarget } from "../lower/lower-target.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { aten } from "./aten-ops.ts";
import { argumentsOf, encode, type Row, readRows } from "./op-rows.test-helper.ts";

const rows = readRows("infer-cases");
const registry = createRegistry({ sets: [aten] });

function run(row: Row, isNative: LowerTarget["isNative"]): unknown {
  const [op] = row;
  const emitter = new Emitter(registry, { name: "test", isNative });
  const node = { name: "n", op, args: [], outputs: [], origin: {} };
  try {
    return emitter.emit(op, argumentsOf(row), node).map(encode);
  } catch (error) {
    if (!(error instanceof Pt2Error)) throw error;
    return error.code === "registry.unsupported-op" ? error.message : "error";
  }
}

function casesOf(op: string): readonly Row[] {
  return rows.filter(([name]) => name === op);
}

/**
 * Returns whether a record has no decomposition for these arguments, which it shows by declining before it emits
 * anything.
 */
function isPrimitive(op: string, args: Readonly<Record<string, ArgValue>>): boolean {
  const emitted = (): never => {
    throw new Pt2Error("emitted", { what: "a decomposition has begun" });
  };
  try {
    return (registry.resolve(op)?.decompose?.(args, { call: emitted, tensor: emitted }) ?? null) === null;
  } catch {
    return false;
  }
}

const ops = [...new Set(rows.map(([op]) => op))];

describe("shapes, dtypes and refusals are PyTorch's", () => {
  it.each(ops)("shapes, dtypes and refusals are PyTorch's: %s", (op) => {
    const ours = casesOf(op).map((row) => [row[1], run(row, (name) => registry.resolve(name)?.infer !== undefined)]);
    expect(ours).toEqual(casesOf(op).map(([, args, results]) => [args, results]));
  });
});

// `infer` checks arguments, and the scalar language has no complex numbers.
describe("decompositions, taken as far as they go, have the shapes and dtypes", () => {
  it.each(ops)("a full decomposition has the shapes and dtypes of the op: %s", (op) => {
    const cases = casesOf(op).filter(
      ([, args, results]) => results !== "error" && !JSON.stringify(args).includes("complex"),
    );
    expect(cases.map((row) => [row[1], run(row, isPrimitive)])).toEqual(
      cases.map(([, args, results]) => [args, results]),
    );
  });
});
