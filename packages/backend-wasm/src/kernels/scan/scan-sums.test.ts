import { hostTensor } from "@pt2/backend";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

test("running sums are rounded one by one from double precision, along any dimension, and wrap around", async () => {
  const [rows, columns] = [7, 131];
  const length = rows * columns;
  const x = Float32Array.from({ length }, (_, i) => Math.sin(i) * 1000);
  [x[0], x[1], x[columns * 3]] = [-0, -0, Number.NaN];
  const large = BigInt64Array.from({ length }, (_, i) => BigInt(i) << 55n);
  const [results] = await runBody(
    `
  user_input %x: f32[${rows}, ${columns}]
  user_input %i: i64[${rows}, ${columns}]
  %a: f32[${rows}, ${columns}] = aten::cumsum(self=%x, dim=1)
  %b: f32[${rows}, ${columns}] = aten::cumsum(self=%x, dim=0)
  %c: f64[${rows}, ${columns}] = aten::cumsum(self=%x, dim=1, dtype=torch.float64)
  %d: i64[${rows}, ${columns}] = aten::cumsum(self=%i, dim=0)
  %m: bool[${rows}, ${columns}] = aten::gt.Scalar(self=%x, other=0)
  %e: i64[${rows}, ${columns}] = aten::cumsum(self=%m, dim=1)
  return %a, %b, %c, %d, %e`,
    [[hostTensor("float32", [rows, columns], x), hostTensor("int64", [rows, columns], large)]],
  );
  /** Sums from the first element of a row or a column up to each one. */
  const upTo = <T>(at: (i: number) => T, step: number, add: (a: T, b: T) => T): T[] => {
    const sums: T[] = [];
    for (let i = 0; i < length; i++) {
      const isFirst = step === 1 ? i % columns === 0 : i < columns;
      sums.push(isFirst ? at(i) : add(sums[i - step]!, at(i)));
    }
    return sums;
  };
  const plus = (a: number, b: number): number => a + b;
  const alongRows = upTo((i) => x[i]!, 1, plus);
  expect(results).toEqual([
    alongRows.map(Math.fround),
    upTo((i) => x[i]!, columns, plus).map(Math.fround),
    alongRows,
    upTo<bigint>(
      (i) => large[i]!,
      columns,
      (a, b) => BigInt.asIntN(64, a + b),
    ),
    upTo<bigint>(
      (i) => (x[i]! > 0 ? 1n : 0n),
      1,
      (a, b) => a + b,
    ),
  ]);
});
