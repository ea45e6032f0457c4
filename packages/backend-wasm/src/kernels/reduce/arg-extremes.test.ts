import { hostTensor } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { expect, test } from "vitest";
import { runBody } from "../../engine/programs.test-helper.ts";

test("argmax and argmin are found along each dimension of dense and transposed tensors, and of all elements", async () => {
  const x = floats([2, 3, 4], ...Array.from({ length: 24 }, (_, i) => (i * 7) % 11));
  const [results] = await runBody(
    `
  user_input %x: f32[2, 3, 4]
  %t: f32[4, 3, 2] = aten::permute(self=%x, dims=[2, 1, 0])
  %a: i64[3, 4] = aten::argmax(self=%x, dim=0)
  %b: i64[2, 4] = aten::argmin(self=%x, dim=-2)
  %c: i64[2, 3, 1] = aten::argmax(self=%x, dim=2, keepdim=true)
  %d: i64[4, 2] = aten::argmax(self=%t, dim=1)
  %e: i64[] = aten::argmax(self=%t)
  return %a, %b, %c, %d, %e`,
    [[x]],
  );
  const at = (a: number, b: number, c: number): number => ((a * 12 + b * 4 + c) * 7) % 11;
  const best = (values: readonly number[], least = false): bigint =>
    BigInt(values.indexOf(values.reduce((u, v) => (least ? Math.min(u, v) : Math.max(u, v)))));
  const of = (n: number): readonly number[] => [...Array(n).keys()];
  expect(results).toEqual([
    of(3).flatMap((b) => of(4).map((c) => best(of(2).map((a) => at(a, b, c))))),
    of(2).flatMap((a) =>
      of(4).map((c) =>
        best(
          of(3).map((b) => at(a, b, c)),
          true,
        ),
      ),
    ),
    of(2).flatMap((a) => of(3).map((b) => best(of(4).map((c) => at(a, b, c))))),
    of(4).flatMap((c) => of(2).map((a) => best(of(3).map((b) => at(a, b, c))))),
    [best(of(4).flatMap((c) => of(3).flatMap((b) => of(2).map((a) => at(a, b, c)))))],
  ]);
});

test("argmax is found of float16, of one number and of rows with NaN, infinities and negative zero", async () => {
  const half = hostTensor("float16", [2], Uint16Array.of(0x3c00, 0x4000));
  const [results] = await runBody(
    `
  user_input %half: f16[2]
  user_input %one: f32[]
  user_input %x: f32[2, 3]
  %a: i64[] = aten::argmax(self=%half, dim=0)
  %b: i64[] = aten::argmin(self=%one, dim=0)
  %c: i64[2] = aten::argmax(self=%x, dim=1)
  %d: i64[2] = aten::argmin(self=%x, dim=1)
  return %a, %b, %c, %d`,
    [[half, floats([], 5), floats([2, 3], 0, -0, Number.NaN, -0, 0, Number.NEGATIVE_INFINITY)]],
  );
  expect(results).toEqual([[1n], [0n], [2n, 0n], [2n, 2n]]);
});
