import { readFileSync } from "node:fs";
import { Pt2Error } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { Emitter } from "../lower/emit.ts";
import { createRegistry } from "../own-ops/create-registry.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./index.ts";

type Row = readonly [op: string, args: Readonly<Record<string, unknown>>, results: unknown];
const rows = JSON.parse(readFileSync(new URL("./metas.golden.json", import.meta.url), "utf8")) as readonly Row[];
const registry = createRegistry({ sets: [aten] });
const native = new Set(
  aten.ops.filter((op) => op.infer !== undefined && op.decompose === undefined).map((op) => op.name),
);
/** These decompose for complex arguments only. */
const PARTLY_NATIVE: ReadonlySet<string> = new Set(["aten::sum.dim_IntList", "aten::view.dtype"]);

const REFUSALS: ReadonlySet<string> = new Set([
  "INVALID_ARGUMENT",
  "registry.shape",
  "registry.dtype",
  "registry.argument",
]);

/** `"float32:2,3"` is a tensor, `"123n"` a bigint. */
function decode(value: unknown): ArgValue {
  if (Array.isArray(value)) return value.map(decode);
  const [, dtype, sizes] = /^([a-z]+\d*):([\d,]*)$/.exec(String(value)) ?? [];
  if (dtype !== undefined) {
    return { dtype: dtype as TensorMeta["dtype"], shape: sizes === "" ? [] : sizes!.split(",").map(Number) };
  }
  return /^-?\d+n$/.test(String(value)) ? BigInt(String(value).slice(0, -1)) : (value as ArgValue);
}

function encode(value: ArgValue): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return isTensorMeta(value) ? `${value.dtype}:${value.shape.join(",")}` : value;
}

function run(op: string, args: Readonly<Record<string, unknown>>): unknown {
  const emitter = new Emitter(registry, {
    name: "test",
    isNative: (name) => native.has(name) || PARTLY_NATIVE.has(name),
  });
  const node = { name: "n", op, args: [], outputs: [], origin: {} };
  const given = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, decode(value)]));
  try {
    return emitter.emit(op, given, node).map(encode);
  } catch (error) {
    if (error instanceof Pt2Error) return REFUSALS.has(error.code) ? "error" : error.message;
    throw error;
  }
}

describe("shapes and dtypes are PyTorch's", () => {
  for (const op of new Set(rows.map(([name]) => name))) {
    it(op, () => {
      const cases = rows.filter(([name]) => name === op);
      expect(cases.map(([, args]) => [args, run(op, args)])).toEqual(cases.map(([, args, results]) => [args, results]));
    });
  }
});
