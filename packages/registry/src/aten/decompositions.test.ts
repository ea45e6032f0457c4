import { readFileSync } from "node:fs";
import type { DType } from "@pt2/format";
import { describe, expect, it } from "vitest";
import type { Call } from "../lower/call.ts";
import { Emitter } from "../lower/emit.ts";
import { createRegistry } from "../own-ops/create-registry.ts";
import { convert } from "../scalar/convert.ts";
import { evaluate } from "../scalar/evaluate.ts";
import type { ScalarValue } from "../scalar/typed.ts";
import type { ArgValue, Strided, TensorMeta } from "../tensor-meta.ts";
import { contiguous } from "../view.ts";
import { isTensorMeta } from "../wrapped.ts";
import { aten } from "./index.ts";

interface Result {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: readonly (number | boolean)[];
}
type Row = readonly [op: string, args: Readonly<Record<string, unknown>>, results: Result | readonly Result[]];
type Data = Map<TensorMeta, readonly ScalarValue[]>;
const rows = JSON.parse(
  readFileSync(new URL("./decompositions.golden.json", import.meta.url), "utf8"),
) as readonly Row[];
const registry = createRegistry({ sets: [aten] });
const node = { name: "n", op: "", args: [], outputs: [], origin: {} };

/** Where the elements of a strided tensor lie, in row-major order. */
function offsets({ shape, strides, offset }: Strided): readonly number[] {
  return shape.reduce<readonly number[]>(
    (found, size, d) => found.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * strides[d]!)),
    [offset],
  );
}

/** The three kernels that the decompositions here end in. */
const KERNELS: {
  readonly [op: string]: (args: Call["args"], result: TensorMeta, data: Data) => readonly ScalarValue[];
} = {
  "aten::arange.start_step": ({ start, step }, { shape, dtype }) =>
    Array.from({ length: shape[0]! }, (_, i) => convert(dtype, Number(start) + i * Number(step))),
  "aten::cat": ({ tensors, dim }, result, data) => {
    const parts = (tensors as readonly TensorMeta[]).filter(({ shape }) => shape.length === result.shape.length);
    const inner = (shape: readonly number[]): number => shape.slice(Number(dim)).reduce((n, size) => n * size, 1);
    const outer = result.shape.slice(0, Number(dim)).reduce((n, size) => n * size, 1);
    const block = (part: TensorMeta, i: number) =>
      data.get(part)!.slice(i * inner(part.shape), (i + 1) * inner(part.shape));
    return Array.from({ length: outer }, (_, i) => parts.flatMap((part) => block(part, i))).flat();
  },
  "aten::index_select": ({ self, dim, index }, result, data) => {
    const picked = data.get(index as TensorMeta)!;
    const { shape } = self as TensorMeta;
    const inner = shape.slice(Number(dim) + 1).reduce((n, size) => n * size, 1);
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

function decode(value: unknown, data: Data): ArgValue {
  if (Array.isArray(value)) return value.map((item) => decode(item, data));
  const [, dtype, sizes, fill] = /^([a-z]+\d*):([\d,]*)(?:=(.*))?$/.exec(String(value)) ?? [];
  if (dtype === undefined) return value as ArgValue;
  const meta: TensorMeta = { dtype: dtype as DType, shape: sizes === "" ? [] : sizes!.split(",").map(Number) };
  const filled = offsets(contiguous(meta.shape)).map((_, i) => i + 1);
  data.set(
    meta,
    ((fill === undefined ? filled : JSON.parse(fill)) as number[]).map((x) => convert(meta.dtype, x)),
  );
  return meta;
}

describe("decompositions give PyTorch's values", () => {
  it.each(rows)("%s %o", (op, given, expected) => {
    const data: Data = new Map();
    const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decode(value, data)]));
    const emitter = new Emitter(registry, { name: "test", isNative: (name) => name in KERNELS });
    const results = emitter.emit(op, args, node).flat().filter(isTensorMeta);
    for (const call of emitter.calls) run(call, data);
    const wanted = [expected].flat() as readonly Result[];
    expect(results.map(({ dtype, shape }) => [dtype, shape])).toEqual(wanted.map(({ dtype, shape }) => [dtype, shape]));
    for (const [i, result] of results.entries()) {
      const values = data.get(result)!.map(Number);
      for (const [at, value] of wanted[i]!.values.entries()) expect(values[at]).toBeCloseTo(Number(value), 4);
    }
  });
});
