import { Pt2Error } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { Emitter } from "../lower/emit.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { aten } from "./aten-ops.ts";
import { argumentsOf, encode, type Row, readRows } from "./op-rows.test-helper.ts";

const rows = readRows("metas");
const registry = createRegistry({ sets: [aten] });
const native = new Set(
  aten.ops.filter((op) => op.infer !== undefined && op.decompose === undefined).map((op) => op.name),
);
/** The ops that decompose only for complex arguments. */
const PARTLY_NATIVE: ReadonlySet<string> = new Set(["aten::cat", "aten::sum.dim_IntList", "aten::view.dtype"]);

const REFUSALS: ReadonlySet<string> = new Set([
  "INVALID_ARGUMENT",
  "registry.shape",
  "registry.dtype",
  "registry.argument",
]);

function run(row: Row): unknown {
  const [op] = row;
  const emitter = new Emitter(registry, {
    name: "test",
    isNative: (name) => native.has(name) || PARTLY_NATIVE.has(name),
  });
  const node = { name: "n", op, args: [], outputs: [], origin: {} };
  try {
    return emitter.emit(op, argumentsOf(row), node).map(encode);
  } catch (error) {
    if (error instanceof Pt2Error) return REFUSALS.has(error.code) ? "error" : error.message;
    throw error;
  }
}

describe("shapes and dtypes are PyTorch's", () => {
  for (const op of new Set(rows.map(([name]) => name))) {
    it(op, () => {
      const cases = rows.filter(([name]) => name === op);
      expect(cases.map((row) => [row[1], run(row)])).toEqual(cases.map(([, args, results]) => [args, results]));
    });
  }
});
