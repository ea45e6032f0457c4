import type { Backend } from "@pt2/backend";
import { parse } from "@pt2/graph";
import { load, tensor } from "@pt2/runtime/node";
import { beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";

const [ROWS, INNER, COLUMNS, ENDS] = [6, 5, 7, [2, 2, 5]] as const;

/** Products of a mixture of experts, as transformers exports them: `x` is sorted by expert, whose rows end at `offs`. */
const programOf = (dtype: string, offsets: string) =>
  parse(`program {
  user_input %x: ${dtype}[${ROWS}, ${INNER}]
  user_input %w: ${dtype}[3, ${INNER}, ${COLUMNS}]
  user_input %offs: ${offsets}[3]
  user_input %g: ${dtype}[${ROWS}, ${COLUMNS}]
  forward(x, w, offs, g)
  in_spec tuple(tuple(*, *, *, *), dict())
  out_spec tuple(*, *, *)
  %y: ${dtype}[${ROWS}, ${COLUMNS}] = transformers::grouped_mm_fallback(input=%x, weight=%w, offs=%offs)
  %gx: ${dtype}[${ROWS}, ${INNER}], %gw: ${dtype}[3, ${INNER}, ${COLUMNS}] = transformers::grouped_mm_fallback_backward(input=%x, weight=%w, offs=%offs, grad_output=%g)
  return %y, %gx, %gw
}`);

/** Small whole numbers, with which no dtype rounds. */
const numbers = (count: number, factor: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => ((i * factor) % 7) - 3);

/** What transformers' own loop over experts gives. */
function expected(x: readonly number[], w: readonly number[], g: readonly number[]): readonly number[][] {
  const [y, gx, gw] = [ROWS * COLUMNS, ROWS * INNER, w.length].map((size) => Array<number>(size).fill(0)) as [
    number[],
    number[],
    number[],
  ];
  for (let row = 0; row < ENDS.at(-1)!; row++) {
    const expert = ENDS.findIndex((end) => row < end);
    for (let k = 0; k < INNER; k++) {
      for (let c = 0; c < COLUMNS; c++) {
        const [at, xk, yc] = [(expert * INNER + k) * COLUMNS + c, row * INNER + k, row * COLUMNS + c];
        y[yc]! += x[xk]! * w[at]!;
        gx[xk]! += g[yc]! * w[at]!;
        gw[at]! += x[xk]! * g[yc]!;
      }
    }
  }
  return [y, gx, gw];
}

describe.each((await testedBackends()).filter(({ missing }) => missing === null))(
  "grouped products, on $name",
  ({ create, precision }) => {
    let backend: Backend;
    beforeAll(async () => {
      backend = await create();
    });

    it.each([
      ["float32", "int32", "f32", "i32", Float32Array],
      ["float64", "int32", "f64", "i32", Float64Array],
      ["float32", "int64", "f32", "i64", Float32Array],
    ] as const)("of odd sizes in %s, with offsets in %s", async (dtype, offsets, short, shortOffsets, Floats) => {
      const [x, w, g] = [
        numbers(ROWS * INNER, 3),
        numbers(3 * INNER * COLUMNS, 5),
        numbers(ROWS * COLUMNS, 4),
      ] as const;
      await using model = await load(
        { program: programOf(short, shortOffsets), weights: new Map() },
        { backend, ...(precision !== undefined && { precision }) },
      );
      const ends = offsets === "int64" ? BigInt64Array.from(ENDS.map(BigInt)) : Int32Array.from(ENDS);
      const results = (await model.runFlat([
        tensor(dtype, [ROWS, INNER], Floats.from(x)),
        tensor(dtype, [3, INNER, COLUMNS], Floats.from(w)),
        tensor(offsets, [3], ends),
        tensor(dtype, [ROWS, COLUMNS], Floats.from(g)),
      ])) as readonly { read(): Promise<Float32Array> }[];
      const actual = await Promise.all(results.map(async (result) => Array.from(await result.read())));
      expect(actual).toEqual(expected(x, w, g));
    });
  },
);
