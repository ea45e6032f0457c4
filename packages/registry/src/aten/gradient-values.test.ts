import type { DType } from "@pt2/format";
import { randomUnit } from "@pt2/testing/random";
import { describe, expect, it, test } from "vitest";
import { builderOf } from "../builder.ts";
import { resolveArgs } from "../op-registry.ts";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { contiguous } from "../view.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./aten-ops.ts";
import { argumentsOf, type Row, readRows } from "./op-rows.test-helper.ts";
import { referenceEmitter, runReference } from "./reference/interpret.ts";
import { offsets, type ReferenceData } from "./reference/kernels.ts";

const registry = createRegistry({ sets: [aten] });

/** Views that no recorded row has. */
const MORE: readonly Row[] = [
  ["aten::alias", { self: "float32:2,3" }, ["float32:2,3"]],
  ["aten::split.sizes", { self: "float32:4,3", split_size: [1, 3], dim: 0 }, [["float32:1,3", "float32:3,3"]]],
];

const differentiable = aten.ops.filter(({ gradient }) => gradient !== undefined).map(({ name }) => name);
const rows = [...readRows("infer-cases"), ...readRows("metas"), ...MORE].filter(
  ([op, args, results]) =>
    differentiable.includes(op) &&
    args["dtype"] === undefined &&
    results !== "error" &&
    results.flat().length > 0 &&
    JSON.stringify(results.flat()[0]).startsWith('"float32') &&
    !/complex|float16|bool:/.test(JSON.stringify(args)),
);

/** How far an argument is moved in both directions. */
const STEP = 1e-5;

/** Elements of a call: floats that are not close to each other, and indices that the call may have. */
function drawn(
  row: Row,
  seed: number,
): { readonly args: Readonly<Record<string, ArgValue>>; readonly data: ReferenceData } {
  const next = randomUnit(seed);
  const data: ReferenceData = new Map();
  const given = argumentsOf(wide(row));
  const size = isTensorMeta(given["self"]) ? (given["self"].shape.at(Number(given["dim"] ?? 0)) ?? 1) : 1;
  for (const tensor of Object.values(given).flat().filter(isTensorMeta)) {
    data.set(
      tensor,
      offsets(contiguous(tensor.shape)).map(() =>
        tensor.dtype === "float64" ? next() * 4 - 2 : Math.floor(next() * size),
      ),
    );
  }
  return { args: given, data };
}

/** The row in float64. */
function wide([op, args, results]: Row): Row {
  return [op, JSON.parse(JSON.stringify(args).replaceAll("float32:", "float64:")) as Row[1], results];
}

const total = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

describe("a gradient is what differences of results say", () => {
  it.each(rows)("%s %o", (...row) => {
    const [op] = row;
    const record = registry.resolve(op)!;
    const node = { name: "n", op, args: [], outputs: [], origin: {} };
    const { args: given, data } = drawn(row, 7);
    const args = resolveArgs(record.schema, given, () => op);
    const lowered = referenceEmitter(registry);
    const results = lowered.emit(op, args, node).flat().filter(isTensorMeta);
    const forward = lowered.calls.length;
    const next = randomUnit(11);
    const weights = results.map(({ shape, dtype }) =>
      offsets(contiguous(shape)).map(() => (isFloat(dtype) ? next() - 0.5 : 0)),
    );
    const grads = results.map(({ shape, dtype }, i): TensorMeta | null => {
      if (!isFloat(dtype)) return null;
      const grad: TensorMeta = { shape, dtype };
      data.set(grad, weights[i]!);
      return grad;
    });
    const builder = builderOf((name, values) => lowered.emit(name, values, node));
    const gradients = record.gradient!({ args, results, grads }, builder);
    for (const call of lowered.calls) runReference(call, data);

    /** The weighted sum of the results where arguments have these elements. */
    const loss = (moved: ReferenceData): number => {
      const at: ReferenceData = new Map([...data, ...moved]);
      for (const call of lowered.calls.slice(0, forward)) runReference(call, at);
      return results.reduce((sum, result, i) => sum + total(at.get(result)!.map(Number), weights[i]!), 0);
    };
    const checked = Object.entries(gradients).flatMap(([name, gradient]) => {
      const tensors = [args[name]!].flat() as readonly TensorMeta[];
      return [gradient].flat().map((each, i) => ({ name, gradient: each as TensorMeta | null, tensor: tensors[i]! }));
    });
    expect(checked.length).toBeGreaterThan(0);
    for (const { name, gradient, tensor } of checked) {
      if (gradient === null || !isFloat(tensor.dtype)) continue;
      const elements = data.get(tensor)!.map(Number);
      const direction = elements.map(() => next() - 0.5);
      const moved = (by: number): ReferenceData =>
        new Map([[tensor, elements.map((value, i) => value + by * direction[i]!)]]);
      const quotient = (loss(moved(STEP)) - loss(moved(-STEP))) / (2 * STEP);
      expect(total(data.get(gradient)!.map(Number), direction), name).toBeCloseTo(quotient, 6);
    }
  });
});

test("every op with a gradient is among them", () => {
  expect(differentiable.filter((op) => !rows.some(([tested]) => tested === op))).toEqual([]);
});

function isFloat(dtype: DType): boolean {
  return dtype === "float64";
}
