import { numel } from "@pt2/format";
import { describe, expect, it } from "vitest";
import type { Call } from "../lower/call.ts";
import { Emitter } from "../lower/emit.ts";
import { createRegistry } from "../own-ops/create-registry.ts";
import { convert } from "../scalar/convert.ts";
import { evaluate } from "../scalar/evaluate.ts";
import type { ScalarValue } from "../scalar/typed.ts";
import type { Strided, TensorMeta } from "../tensor-meta.ts";
import { contiguous } from "../view.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./index.ts";
import { argumentsOf, decode, readRows } from "./op-rows.test-helper.ts";

type Data = Map<TensorMeta, readonly ScalarValue[]>;
const rows = readRows("decompositions");
const registry = createRegistry({ sets: [aten] });
const node = { name: "n", op: "", args: [], outputs: [], origin: {} };

/** Returns the positions of a strided tensor's elements, in row-major order. */
function offsets({ shape, strides, offset }: Strided): readonly number[] {
  return shape.reduce<readonly number[]>(
    (found, size, d) => found.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[d]!)),
    [offset],
  );
}

/** The three kernels that the decompositions in this test end in. */
const KERNELS: {
  readonly [op: string]: (args: Call["args"], result: TensorMeta, data: Data) => readonly ScalarValue[];
} = {
  "aten::arange.start_step": ({ start, step }, { shape, dtype }) =>
    Array.from({ length: shape[0]! }, (_, i) => convert(dtype, Number(start) + i * Number(step))),
  "aten::cat": ({ tensors, dim }, result, data) => {
    const parts = (tensors as readonly TensorMeta[]).filter(({ shape }) => shape.length === result.shape.length);
    const inner = (shape: readonly number[]): number => numel(shape.slice(Number(dim)));
    const outer = numel(result.shape.slice(0, Number(dim)));
    const block = (part: TensorMeta, i: number) =>
      data.get(part)!.slice(i * inner(part.shape), (i + 1) * inner(part.shape));
    return Array.from({ length: outer }, (_, i) => parts.flatMap((part) => block(part, i))).flat();
  },
  "aten::index_select": ({ self, dim, index }, result, data) => {
    const picked = data.get(index as TensorMeta)!;
    const { shape } = self as TensorMeta;
    const inner = numel(shape.slice(Number(dim) + 1));
    return offsets(contiguous(result.shape)).map((at) => {
      const row = Math.floor(at / inner);
      const source = Math.floor(row / picked.length) * shape[Number(dim)]! + Number(picked[row % picked.length]);
      return data.get(self as TensorMeta)![source * inner + (at % inner)]!;
    });
  },
};

function run(call: Call, data: Data): void {
  const results = call.results.flat() as readonly TensorMeta[];
  if (call.scalar !== undefined) {
    const { expr, operands, shape } = call.scalar;
    const values = operands.map((operand) => {
      const source = contiguous(operand.shape);
      const spread = registry.resolve("aten::expand")!.view!(source, { size: shape }) as Strided;
      return offsets(spread).map((at) => data.get(operand)![at]!);
    });
    data.set(
      results[0]!,
      offsets(contiguous(shape)).map((_, i) =>
        evaluate(
          expr,
          values.map((v) => v[i]!),
        ),
      ),
    );
  } else if (call.kind === "view") {
    const self = call.args[call.record.schema.args[0]!.name] as TensorMeta;
    const geometry = [call.record.view!(contiguous(self.shape), call.args)!].flat() as readonly Strided[];
    for (const [i, view] of geometry.entries()) {
      data.set(
        results[i]!,
        offsets(view).map((at) => data.get(self)![at]!),
      );
    }
  } else {
    data.set(results[0]!, KERNELS[call.record.name]!(call.args, results[0]!, data));
  }
}

describe("decompositions give PyTorch's values", () => {
  it.each(rows)("a decomposition gives PyTorch's values: %s %o", (...row) => {
    const [op, , expected] = row;
    const data: Data = new Map();
    const args = argumentsOf(row, (tensor, elements) => {
      // Elements that a row does not give are 1, 2, 3, …
      const numbers = elements ?? offsets(contiguous(tensor.shape)).map((_, i) => i + 1);
      data.set(
        tensor,
        numbers.map((element) => convert(tensor.dtype, Number(element))),
      );
    });
    const emitter = new Emitter(registry, { name: "test", isNative: (name) => name in KERNELS });
    const results = emitter.emit(op, args, node).flat().filter(isTensorMeta);
    for (const call of emitter.calls) run(call, data);
    const wanted = new Map<TensorMeta, readonly (number | boolean)[]>();
    for (const result of expected) decode(result, (tensor, elements) => wanted.set(tensor, elements!));
    expect(results.map(({ dtype, shape }) => [dtype, shape])).toEqual(
      [...wanted.keys()].map(({ dtype, shape }) => [dtype, shape]),
    );
    for (const [i, elements] of [...wanted.values()].entries()) {
      const values = data.get(results[i]!)!.map(Number);
      expect(values).toHaveLength(elements.length);
      for (const [at, element] of elements.entries()) expect(values[at]).toBeCloseTo(Number(element), 4);
    }
  });
});
