import { readFileSync } from "node:fs";
import { Pt2Error } from "@pt2/format";
import { expect, test } from "vitest";
import { aten } from "../aten/aten-ops.ts";
import { libraries } from "../libraries.ts";
import { Emitter } from "../lower/emit.ts";
import { printSchema } from "../schema/print-schema.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { quantized } from "./quantized-ops.ts";

const registry = createRegistry({ sets: [aten, ...libraries] });
const node = { name: "n", op: "n", args: [], outputs: [], origin: {} };
const target = { name: "test", isNative: (op: string) => registry.resolve(op)?.decompose === undefined };

interface Golden {
  readonly schemas: readonly string[];
  readonly refused: readonly (readonly [op: string, args: Readonly<Record<string, unknown>>])[];
}

/** PyTorch's results, written by `scripts/python/quantized.py`. */
const golden = JSON.parse(readFileSync(new URL("./quantized.golden.json", import.meta.url), "utf8")) as Golden;

/** Decodes a value: `{"tensor": "int8:3,5"}` is a tensor. */
function decode(value: unknown): ArgValue {
  if (typeof value !== "object" || value === null || !("tensor" in value)) return value as ArgValue;
  const [dtype, shape = ""] = String(value.tensor).split(":");
  return { dtype, shape: shape === "" ? [] : shape.split(",").map(Number), name: "x" } as ArgValue;
}

test("the schemas are those of the libraries", () => {
  const schemas = quantized.ops.map(({ schema }) => printSchema(schema)).sort();
  expect(schemas).toEqual([...golden.schemas].sort());
});

test.each(golden.refused)("a call that PyTorch refuses is refused: %s %j", (op, given) => {
  const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decode(value)]));
  const codes = ["registry.argument", "registry.shape", "registry.dtype"];
  try {
    new Emitter(registry, target).emit(op, args, node);
  } catch (error) {
    expect(error).toBeInstanceOf(Pt2Error);
    expect(codes).toContain((error as Pt2Error).code);
    return;
  }
  throw new Error("it was accepted");
});

test("elementwise ops refuse float8", () => {
  const emit = (op: string, args: Record<string, ArgValue>) => new Emitter(registry, target).emit(op, args, node);
  const self = { dtype: "float8_e4m3fn", shape: [3], name: "x" } as ArgValue;
  expect(() => emit("aten::relu", { self })).toThrow("aten::relu does not support float8_e4m3fn");
  expect(() => emit("aten::mul.Tensor", { self, other: 2 })).toThrow("float8_e4m3fn");
  expect(emit("aten::_to_copy", { self, dtype: "float32" })).toMatchObject([{ dtype: "float32" }]);
});
