import { describe, expect, it } from "vitest";
import { builderOf } from "../builder.ts";
import { Emitter } from "../lower/emit.ts";
import { resolveArgs } from "../op-registry.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./aten-ops.ts";
import { argumentsOf, decode, readRows } from "./op-rows.test-helper.ts";

const registry = createRegistry({ sets: [aten] });
const rows = readRows("infer-cases").filter(
  ([op, , results]) => registry.resolve(op)?.gradient !== undefined && String(results).startsWith("float"),
);

const geometry = ({ dtype, shape }: TensorMeta): TensorMeta => ({ dtype, shape });

describe("a gradient has the shape and dtype of its argument", () => {
  it.each(rows)("a gradient has the shape and dtype of its argument: %s %o", (...row) => {
    const [op, , results] = row;
    const record = registry.resolve(op)!;
    const node = { name: "n", op, args: [], outputs: [], origin: {} };
    const emitter = new Emitter(registry, {
      name: "test",
      isNative: (name) => registry.resolve(name)?.infer !== undefined,
    });
    const builder = builderOf((name, args) => emitter.emit(name, args, node));
    const args = resolveArgs(record.schema, argumentsOf(row), () => op);
    const metas = (results as readonly unknown[]).map((result) => decode(result) as TensorMeta);
    const gradients = record.gradient!({ args, results: metas, grads: metas.map(geometry) }, builder);
    for (const [name, gradient] of Object.entries(gradients)) {
      if (isTensorMeta(gradient)) expect(geometry(gradient), name).toEqual(geometry(args[name] as TensorMeta));
    }
  });
});
