import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builderOf } from "../builder.ts";
import { Emitter } from "../lower/emit.ts";
import { resolveArgs } from "../op-registry.ts";
import { createRegistry } from "../own-ops/create-registry.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./index.ts";

type Row = readonly [op: string, args: Readonly<Record<string, unknown>>, results: string | readonly unknown[]];
const registry = createRegistry({ sets: [aten] });
const rows = (
  JSON.parse(readFileSync(new URL("./infer-cases.golden.json", import.meta.url), "utf8")) as readonly Row[]
).filter(([op, , results]) => registry.resolve(op)?.gradient !== undefined && String(results).startsWith("float"));

/** `"float32:2,3"` is a tensor. */
function decode(value: unknown): ArgValue {
  if (Array.isArray(value)) return value.map(decode);
  const [, dtype, sizes] = /^([a-z]+\d*):([\d,]*)$/.exec(String(value)) ?? [];
  if (dtype === undefined) return value as ArgValue;
  return { dtype: dtype as TensorMeta["dtype"], shape: sizes === "" ? [] : sizes!.split(",").map(Number) };
}

const geometry = ({ dtype, shape }: TensorMeta): TensorMeta => ({ dtype, shape });

describe("a gradient has the shape and dtype of its argument", () => {
  it.each(rows)("%s %o", (op, given, results) => {
    const record = registry.resolve(op)!;
    const node = { name: "n", op, args: [], outputs: [], origin: {} };
    const emitter = new Emitter(registry, {
      name: "test",
      isNative: (name) => registry.resolve(name)?.infer !== undefined,
    });
    const builder = builderOf((name, args) => emitter.emit(name, args, node));
    const decoded = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decode(value)]));
    const args = resolveArgs(record.schema, decoded, () => op);
    const metas = (results as readonly unknown[]).map((result) => decode(result) as TensorMeta);
    const gradients = record.gradient!({ args, results: metas, grads: metas.map(geometry) }, builder);
    for (const [name, gradient] of Object.entries(gradients)) {
      if (isTensorMeta(gradient)) expect(geometry(gradient), name).toEqual(geometry(args[name] as TensorMeta));
    }
  });
});
