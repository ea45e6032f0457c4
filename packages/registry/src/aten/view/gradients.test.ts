import { describe, expect, it } from "vitest";
import { builderOf } from "../../builder.ts";
import { Emitter } from "../../lower/emit.ts";
import { resolveArgs } from "../../op-registry.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { createRegistry } from "../../user-ops/create-registry.ts";
import { aten } from "../aten-ops.ts";
import { argumentsOf, decode, readRows } from "../op-rows.test-helper.ts";

const registry = createRegistry({ sets: [aten] });
const views = new Set(aten.ops.filter((op) => op.view !== undefined && op.gradient !== undefined).map((op) => op.name));
const rows = readRows("metas").filter(([op, , results]) => views.has(op) && results !== "error");

describe("the gradient of a view has the geometry of what is viewed", () => {
  it.each(rows)("the gradient of a view has the geometry of the base: %s %o", (...row) => {
    const [op, , results] = row;
    const record = registry.resolve(op)!;
    const node = { name: "n", op, args: [], outputs: [], origin: {} };
    const isNative = (name: string): boolean => registry.resolve(name)?.infer !== undefined;
    const emitter = new Emitter(registry, { name: "test", isNative });
    const builder = builderOf((name, args) => emitter.emit(name, args, node));
    const args = resolveArgs(record.schema, argumentsOf(row));
    const metas = (results as readonly unknown[]).flat().map((result) => decode(result) as TensorMeta);
    if (metas.length === 0) return;
    const { self } = record.gradient!({ args, results: metas, grads: metas.map((meta) => ({ ...meta })) }, builder);
    expect(self).toMatchObject(args.self as TensorMeta);
  });
});
