import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, run } from "@pt2/conformance";
import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";
import { numbers } from "../matmul/matmul.test-helper.ts";

const registry = registryOf();
const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;

await describeWithDevice("scans along a dimension", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    /** The results of one op, or several, along a dimension. */
    async function along(lines: string, outputs: string, ...inputs: readonly HostTensor[]): Promise<number[][]> {
      const backend = await variantBackend(variant);
      const program = programOf(`${lines}\n  return ${outputs}`);
      const executable = await backend.compile({ program, weights: new Map(), registry });
      const results = (await run(executable, ...inputs)) as number[][];
      await executable.dispose();
      return results;
    }

    // One tile of a workgroup, several, several blocks, and blocks of several tiles.
    test.each([
      [[2, 1009], 1],
      [[131, 5], 0],
      [[3, 37], 1],
      [[128], 0],
      [[2, 2100, 2], 1],
      [[270_000], 0],
    ])("sums of %j along %i are right for floats and for integers", async (shape, dim) => {
      const x = numbers(shape);
      const whole = Array.from(x.data as Float32Array, (value) => Math.round(50 * value));
      const [f, i] = ["f32", "i64"].map((dtype) => `${dtype}[${shape.join(", ")}]`);
      const lines = `user_input %x: ${f}
  user_input %i: ${i}
  %y: ${f} = aten::cumsum(self=%x, dim=${dim})
  %z: ${i} = aten::cumsum(self=%i, dim=${dim})`;
      const [y, z] = await along(lines, "%y, %z", x, hostTensor("int64", shape, BigInt64Array.from(whole, BigInt)));
      expect(z).toEqual(running(whole, shape, dim));
      const wrong = running([...(x.data as Float32Array)], shape, dim).filter(
        (sum, k) => Math.abs(y![k]! - sum) > 2e-5 + 1e-7 * Math.abs(sum),
      );
      expect(wrong).toEqual([]);
    });

    test("an infinity stays, and becomes NaN with its opposite", async () => {
      const data = new Float32Array(260).fill(1);
      [data[100], data[200]] = [POSITIVE_INFINITY, NEGATIVE_INFINITY];
      const lines = "user_input %x: f32[260]\n  %y: f32[260] = aten::cumsum(self=%x, dim=0)";
      const [y] = await along(lines, "%y", hostTensor("float32", [260], data));
      expect([y![99], y![100], y![199], y![200], y![259]]).toEqual([
        100,
        POSITIVE_INFINITY,
        POSITIVE_INFINITY,
        NaN,
        NaN,
      ]);
    });

    test("a product is right again after one that float32 cannot represent", async () => {
      const data = new Float32Array(2400).fill(1);
      data.fill(1e10, 3, 9).fill(1e-10, 1200, 1212).fill(1e10, 1300, 1306);
      const lines = "user_input %x: f32[2400]\n  %y: f32[2400] = aten::cumprod(self=%x, dim=0)";
      const [y] = await along(lines, "%y", hostTensor("float32", [2400], data));
      expect([y![0], y![8], y![1199], y![1211]]).toEqual([1, POSITIVE_INFINITY, POSITIVE_INFINITY, 0]);
      expect(y![5]).toBeCloseTo(1e30, -24);
      expect(y![1205]).toBeCloseTo(1, 5);
      expect(y![2399]).toBeCloseTo(1, 5);
    });

    test.each([
      ["cummax", 1],
      ["cummin", -1],
    ])("%s tells the last of equal elements, and stays NaN", async (op, sign) => {
      const data = Float32Array.from({ length: 2600 }, (_, k) => sign * ((k * 7) % 97));
      data[0] = sign * NEGATIVE_INFINITY;
      data[2500] = Number.NaN;
      const lines = `user_input %x: f32[2600]\n  %y: f32[2600], %i: i64[2600] = aten::${op}(self=%x, dim=0)`;
      const [y, i] = await along(lines, "%y, %i", hostTensor("float32", [2600], data));
      let at = 0;
      const last = Array.from(data, (value, k) => {
        if (Number.isNaN(value) || sign * value >= sign * data[at]!) at = k;
        return at;
      });
      expect(i).toEqual(last);
      expect(y).toEqual(last.map((k) => data[k]));
    });

    test("logarithms of sums are right for empty tensors and beyond the range of exp", async () => {
      const data = Float32Array.from({ length: 1500 }, (_, k) =>
        k < 3 ? NEGATIVE_INFINITY : k === 1400 ? 200 : k / 100,
      );
      const lines = "user_input %x: f32[1500]\n  %y: f32[1500] = aten::logcumsumexp(self=%x, dim=0)";
      const [y] = await along(lines, "%y", hostTensor("float32", [1500], data));
      const sums = running(Array.from(data, Math.exp), [1500], 0);
      expect(y!.filter((value, k) => Math.abs(value - Math.log(sums[k]!)) > 1e-4)).toEqual([]);
      expect(y!.slice(0, 3)).toEqual(Array(3).fill(NEGATIVE_INFINITY));
    });
  });
});

function running(values: readonly number[], shape: readonly number[], dim: number): number[] {
  const inner = shape.slice(dim + 1).reduce((n, size) => n * size, 1);
  const sums: number[] = [];
  for (const [i, value] of values.entries()) {
    sums.push(value + (Math.floor(i / inner) % shape[dim]! === 0 ? 0 : sums[i - inner]!));
  }
  return sums;
}
