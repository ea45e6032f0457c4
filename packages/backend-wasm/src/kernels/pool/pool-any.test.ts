import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf } from "@pt2/conformance";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";

async function run(body: string, input: HostTensor, threads: number): Promise<readonly HostTensor[]> {
  await using backend = new WasmBackend(threads > 1 ? divided(threads) : undefined);
  const executable = await backend.compile({ program: programOf(body), weights: new Map(), registry: registryOf() });
  return (await executable.run([input])) as readonly HostTensor[];
}

const [N, C, H, W] = [2, 3, 11, 9];
const unit = randomUnit(3);
const elements = Array.from({ length: N * C * H * W }, () => Math.floor(unit() * 9) - 4);

test.each(["f64", "i64", "i32"] as const)(
  "largest elements of %s and their positions, by any number of threads",
  async (short) => {
    const dtype = ({ f64: "float64", i64: "int64", i32: "int32" } as const)[short];
    const data = elements.slice();
    const input =
      dtype === "int64"
        ? hostTensor(
            dtype,
            [N, C, H, W],
            BigInt64Array.from(data, (x) => BigInt(x) + 2n ** 60n),
          )
        : hostTensor(dtype, [N, C, H, W], dtype === "int32" ? Int32Array.from(data) : Float64Array.from(data));
    // Of two NaNs the last one counts, as in PyTorch; of equal elements the first one.
    if (dtype === "float64") for (const at of [3, 5, 40]) (input.data as Float64Array)[at] = data[at] = Number.NaN;
    const body = `
    user_input %x: ${short}[${N}, ${C}, ${H}, ${W}]
    %y: ${short}[${N}, ${C}, 6, 4], %i: i64[${N}, ${C}, 6, 4] = aten::max_pool2d_with_indices(self=%x, kernel_size=[3, 2], stride=[2, 2], padding=[1, 0], dilation=[1, 2])
    return %y, %i`;
    const [values, positions] = (await run(body, input, 1)) as [HostTensor, HostTensor];
    let n = 0;
    for (let plane = 0; plane < N * C; plane++) {
      for (let y = 0; y < 6; y++) {
        for (let x = 0; x < 4; x++, n++) {
          let best = -1;
          for (let dy = 0; dy < 3; dy++) {
            for (let dx = 0; dx < 2; dx++) {
              const row = 2 * y - 1 + dy;
              if (row < 0 || row >= H) continue;
              const at = row * W + 2 * x + 2 * dx;
              const [value, most] = [data[plane * H * W + at]!, data[plane * H * W + best]!];
              if (best < 0 || value > most || Number.isNaN(value)) best = at;
            }
          }
          expect(Number((positions.data as BigInt64Array)[n])).toBe(best);
          const value =
            dtype === "int64" ? BigInt(data[plane * H * W + best]!) + 2n ** 60n : data[plane * H * W + best];
          expect(values.data[n]).toBe(value);
        }
      }
    }
    const again = await run(body, input, 3);
    for (const [i, { bytes }] of [values, positions].entries()) {
      expect(Buffer.from(again[i]!.bytes).equals(Buffer.from(bytes))).toBe(true);
    }
  },
);

test.each([
  ["with padding, which counts", "count_include_pad=true, divisor_override=none", () => 6],
  ["by a number", "count_include_pad=true, divisor_override=4", () => 4],
  ["of elements that are there", "count_include_pad=false, divisor_override=none", (there: number) => there],
] as const)("means of float64 are divided %s", async (_, counting, divisor) => {
  const input = hostTensor(
    "float64",
    [N, C, H, W],
    Float64Array.from(elements, (x) => x / 3),
  );
  const body = `
    user_input %x: f64[${N}, ${C}, ${H}, ${W}]
    %y: f64[${N}, ${C}, 6, 4] = aten::avg_pool2d(self=%x, kernel_size=[3, 2], stride=[2, 2], padding=[1, 0], ceil_mode=false, ${counting})
    return %y`;
  const [values] = (await run(body, input, 1)) as [HostTensor];
  let n = 0;
  for (let plane = 0; plane < N * C; plane++) {
    for (let y = 0; y < 6; y++) {
      for (let x = 0; x < 4; x++, n++) {
        let [sum, there] = [0, 0];
        for (let row = Math.max(0, 2 * y - 1); row < Math.min(H, 2 * y + 2); row++) {
          for (let dx = 0; dx < 2; dx++, there++) sum += elements[plane * H * W + row * W + 2 * x + dx]! / 3;
        }
        expect(values.data[n]).toBe(sum / divisor(there));
      }
    }
  }
  const [again] = (await run(body, input, 3)) as [HostTensor];
  expect(Buffer.from(again.bytes).equals(Buffer.from(values.bytes))).toBe(true);
});
