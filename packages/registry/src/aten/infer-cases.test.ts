import { readFileSync } from "node:fs";
import { Pt2Error } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { Emitter, type LowerTarget } from "../lower/emit.ts";
import { createRegistry } from "../own-ops/create-registry.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./index.ts";
import { decode, type Row } from "./infer-rows.test-helper.ts";

const rows = JSON.parse(readFileSync(new URL("./infer-cases.golden.json", import.meta.url), "utf8")) as readonly Row[];
const registry = createRegistry({ sets: [aten] });
function encode(value: ArgValue): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return isTensorMeta(value) ? `${value.dtype}:${value.shape.join(",")}` : value;
}

function run(op: string, args: Readonly<Record<string, unknown>>, isNative: LowerTarget["isNative"]): unknown {
  const emitter = new Emitter(registry, { name: "test", isNative });
  const node = { name: "n", op, args: [], outputs: [], origin: {} };
  const given = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, decode(value)]));
  try {
    return emitter.emit(op, given, node).map(encode);
  } catch (error) {
    if (!(error instanceof Pt2Error)) throw error;
    return error.code === "registry.unsupported-op" ? error.message : "error";
  }
}

function casesOf(op: string): readonly Row[] {
  return rows.filter(([name]) => name === op);
}

/** Whether a record has no decomposition for these arguments. It has not when it declines before it emits anything. */
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
  it.each(ops)("%s", (op) => {
    const ours = casesOf(op).map(([, args]) => [
      args,
      run(op, args, (name) => registry.resolve(name)?.infer !== undefined),
    ]);
    expect(ours).toEqual(casesOf(op).map(([, args, results]) => [args, results]));
  });
});

// Checking arguments is the business of `infer`, and the scalar language has no complex numbers.
describe("decompositions, taken as far as they go, have the shapes and dtypes", () => {
  it.each(ops)("%s", (op) => {
    const cases = casesOf(op).filter(
      ([, args, results]) => results !== "error" && !JSON.stringify(args).includes("complex"),
    );
    expect(cases.map(([, args]) => [args, run(op, args, isPrimitive)])).toEqual(
      cases.map(([, args, results]) => [args, results]),
    );
  });
});
