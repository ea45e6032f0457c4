import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builderOf } from "../../builder.ts";
import { Emitter } from "../../lower/emit.ts";
import { resolveArgs } from "../../op-registry.ts";
import { createRegistry } from "../../own-ops/create-registry.ts";
import type { ArgValue, TensorMeta } from "../../tensor-meta.ts";
import { aten } from "../index.ts";

type Row = readonly [op: string, args: Readonly<Record<string, unknown>>, results: "error" | readonly unknown[]];
const registry = createRegistry({ sets: [aten] });
const views = new Set(aten.ops.filter((op) => op.view !== undefined && op.gradient !== undefined).map((op) => op.name));
const rows = (
  JSON.parse(readFileSync(new URL("../metas.golden.json", import.meta.url), "utf8")) as readonly Row[]
).filter(([op, , results]) => views.has(op) && results !== "error");

/** `"float32:2,3"` is a tensor, `"123n"` a bigint. */
function decode(value: unknown): ArgValue {
  if (Array.isArray(value)) return value.map(decode);
  if (/^-?\d+n$/.test(String(value))) return BigInt(String(value).slice(0, -1));
  const [, dtype, sizes] = /^([a-z]+\d*):([\d,]*)$/.exec(String(value)) ?? [];
  if (dtype === undefined) return value as ArgValue;
  return { dtype: dtype as TensorMeta["dtype"], shape: sizes === "" ? [] : sizes!.split(",").map(Number) };
}

describe("the gradient of a view has the geometry of what is viewed", () => {
  it.each(rows)("%s %o", (op, given, results) => {
    const record = registry.resolve(op)!;
    const node = { name: "n", op, args: [], outputs: [], origin: {} };
    const isNative = (name: string): boolean => registry.resolve(name)?.infer !== undefined;
    const emitter = new Emitter(registry, { name: "test", isNative });
    const builder = builderOf((name, args) => emitter.emit(name, args, node));
    const decoded = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decode(value)]));
    const args = resolveArgs(record.schema, decoded);
    const metas = (results as readonly unknown[]).flat().map((result) => decode(result) as TensorMeta);
    if (metas.length === 0) return;
    const { self } = record.gradient!({ args, results: metas, grads: metas.map((meta) => ({ ...meta })) }, builder);
    expect(self).toMatchObject(args.self as TensorMeta);
  });
});
