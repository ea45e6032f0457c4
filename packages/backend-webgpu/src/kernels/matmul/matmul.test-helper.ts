import { type HostTensor, hostTensor, numel } from "@pt2/backend";

/** Sizes of a product and how its operands lie in memory. */
export interface ProductCase {
  readonly batch: number;
  readonly m: number;
  readonly k: number;
  readonly n: number;
  /** Matrices are given with rows for columns, or as some columns of wider ones. */
  readonly left?: Layout;
  readonly right?: Layout;
}

export type Layout = "rows" | "transposed" | "columns of a wider one";

/** Numbers that differ, most of them not whole. */
export function numbers(shape: readonly number[], seed = 1): HostTensor {
  const data = Float32Array.from({ length: numel(shape) }, (_, i) => (((i + seed) * 7919) % 1009) / 504.5 - 1);
  return hostTensor("float32", shape, data);
}

/** An input, the line that makes it the `[batch, rows, columns]` operand `name`, and the elements of that. */
export function operand(
  name: string,
  layout: Layout,
  [batch, rows, columns]: readonly [number, number, number],
): {
  readonly input: string;
  readonly view: string;
  readonly tensor: HostTensor;
  at(b: number, i: number, j: number): number;
} {
  const type = `f32[${batch}, ${rows}, ${columns}]`;
  const given = { rows: [rows, columns], transposed: [columns, rows], "columns of a wider one": [rows, columns + 3] }[
    layout
  ];
  const tensor = numbers([batch, ...given], name.length);
  const declared = `user_input %${name}_given: f32[${[batch, ...given].join(", ")}]`;
  const view = {
    rows: `aten::alias(self=%${name}_given)`,
    transposed: `aten::permute(self=%${name}_given, dims=[0, 2, 1])`,
    "columns of a wider one": `aten::slice.Tensor(self=%${name}_given, dim=2, start=1, end=${columns + 1})`,
  }[layout];
  const data = tensor.data as Float32Array;
  const width = given[1]!;
  return {
    input: declared,
    view: `%${name}: ${type} = ${view}`,
    tensor,
    at(b, i, j) {
      const [row, column] = layout === "transposed" ? [j, i] : layout === "rows" ? [i, j] : [i, j + 1];
      return data[(b * given[0]! + row) * width + column]!;
    },
  };
}
