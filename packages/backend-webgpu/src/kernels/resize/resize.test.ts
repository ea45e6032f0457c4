import type { HostTensor } from "@pt2/backend";
import { floats, programOf, registryOf, run, someFloats } from "@pt2/conformance";
import { afterAll, expect, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { variantBackend } from "../../variants.test-helper.ts";

/** Weights of the inputs that one result along an axis is made of. */
type Axis = (out: number, inLength: number, outLength: number) => ReadonlyMap<number, number>;

const clamp = (value: number, length: number): number => Math.min(length - 1, Math.max(0, value));

/** As the documentation of `interpolate` says it, in float64. */
const AXES: Readonly<Record<string, Axis>> = {
  nearest: (out, from, to) => new Map([[Math.floor((out * from) / to), 1]]),
  "nearest-exact": (out, from, to) => new Map([[Math.floor(((out + 0.5) * from) / to), 1]]),
  linear(out, from, to) {
    const at = Math.max(0, ((out + 0.5) * from) / to - 0.5);
    const first = Math.floor(at);
    return sums([
      [clamp(first, from), 1 - (at - first)],
      [clamp(first + 1, from), at - first],
    ]);
  },
  cubic(out, from, to) {
    const at = ((out + 0.5) * from) / to - 0.5;
    const taps = [-1, 0, 1, 2].map((k) => Math.floor(at) + k);
    return sums(taps.map((tap) => [clamp(tap, from), cubic(at - tap)]));
  },
  antialiased(out, from, to) {
    const [step, center] = [from / to, ((out + 0.5) * from) / to];
    const reach = Math.max(1, step);
    const taps = Array.from({ length: from }, (_, i) => Math.max(0, 1 - Math.abs((i + 0.5 - center) / reach)));
    const total = taps.reduce((sum, weight) => sum + weight, 0);
    return new Map(taps.map((weight, i) => [i, weight / total]));
  },
};

function sums(taps: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  const weights = new Map<number, number>();
  for (const [index, weight] of taps) weights.set(index, (weights.get(index) ?? 0) + weight);
  return weights;
}

function cubic(distance: number, a = -0.75): number {
  const x = Math.abs(distance);
  if (x <= 1) return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1;
  return x < 2 ? a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a : 0;
}

/** Resizes the last two dimensions, one after the other. */
function resized(axis: Axis, { shape, data }: HostTensor, [h, w]: readonly [number, number]): number[] {
  const [fromH, fromW] = shape.slice(-2) as [number, number];
  const elements = data as Float32Array;
  const along = (n: number, to: number): (readonly (readonly [number, number])[])[] =>
    Array.from({ length: to }, (_, i) => [...axis(i, n, to)].filter(([, weight]) => weight !== 0));
  const [rows, columns] = [along(fromH, h), along(fromW, w)];
  const planes = elements.length / (fromH * fromW);
  return Array.from({ length: planes * h * w }, (_, i) => {
    const start = Math.floor(i / (h * w)) * fromH * fromW;
    let sum = 0;
    for (const [y, wy] of rows[Math.floor(i / w) % h]!)
      for (const [x, wx] of columns[i % w]!) sum += wy * wx * elements[start + y * fromW + x]!;
    return sum;
  });
}

const OPS = [
  ["aten::upsample_nearest2d", "nearest", ""],
  ["aten::_upsample_nearest_exact2d", "nearest-exact", ""],
  ["aten::upsample_bilinear2d", "linear", ", align_corners=false"],
  ["aten::upsample_bicubic2d", "cubic", ", align_corners=false"],
  ["aten::_upsample_bilinear2d_aa", "antialiased", ", align_corners=false"],
] as const;

for (const variant of ["on a CPU", "on a GPU"] as const) {
  await describeWithDevice(`resizing ${variant}`, async () => {
    const backend = await variantBackend(variant);
    afterAll(() => backend.dispose());
    const registry = registryOf();
    const close = (actual: unknown, expected: readonly number[]): void => {
      expect(actual).toHaveLength(expected.length);
      for (const [i, value] of expected.entries()) {
        if (Math.abs((actual as number[])[i]! - value) > 1e-4) expect([i, (actual as number[])[i]]).toEqual([i, value]);
      }
    };

    for (const [op, mode, more] of OPS) {
      test.each([
        ["larger", [13, 17], [29, 31]],
        ["smaller", [29, 31], [7, 5]],
        ["one larger, one smaller", [5, 37], [19, 11]],
      ] as const)(`${op}: %s`, async (_, from, to) => {
        const program = programOf(`
          user_input %x: f32[2, 3, ${from}]
          user_input %b: f32[3, 1, 1]
          %y: f32[2, 3, ${to}] = ${op}(self=%x, output_size=[${to}]${more})
          %z: f32[2, 3, ${to}] = aten::add.Tensor(self=%y, other=%b)
          %r: f32[2, 3, ${to}] = aten::relu(self=%z)
          return %r`);
        const executable = await backend.compile({ program, weights: new Map(), registry });
        const x = someFloats(2, 3, ...from);
        const bias = floats([3, 1, 1], 0.5, -0.25, 0);
        const plane = to[0] * to[1];
        const expected = resized(AXES[mode]!, x, to).map((value, i) =>
          Math.max(0, value + (bias.data as Float32Array)[Math.floor(i / plane) % 3]!),
        );
        close((await run(executable, x, bias))[0], expected);
        // What follows is computed where results are written.
        const steps = (await executable.explain()).split("\n\n")[0]!.split("\n").slice(1);
        expect(steps).toHaveLength(1);
        await executable.dispose();
      });
    }

    test("many inputs for each result are read along one axis after the other", async () => {
      const program = programOf(`
        user_input %x: f32[1, 2, 61, 67]
        %y: f32[1, 2, 3, 5] = aten::_upsample_bilinear2d_aa(self=%x, output_size=[3, 5], align_corners=false)
        return %y`);
      const executable = await backend.compile({ program, weights: new Map(), registry });
      const x = someFloats(1, 2, 61, 67);
      close((await run(executable, x))[0], resized(AXES["antialiased"]!, x, [3, 5]));
      expect((await executable.explain()).split("\n\n")[0]!.match(/resize an axis/g)).toHaveLength(2);
      await executable.dispose();
    });
  });
}

await describeWithDevice("resizing", async () => {
  test("a resize to more elements than one row of workgroups is right", async () => {
    const backend = await variantBackend("on a GPU");
    const program = programOf(`
      user_input %x: f32[1, 1, 61, 67]
      %y: f32[1, 1, 4099, 4201] = aten::upsample_nearest2d(self=%x, output_size=[4099, 4201])
      return %y`);
    const executable = await backend.compile({ program, weights: new Map(), registry: registryOf() });
    const x = someFloats(1, 1, 61, 67);
    const [y] = await executable.run([x]);
    const actual = (y as HostTensor).data as Float32Array;
    const data = x.data as Float32Array;
    let wrong = 0;
    for (let i = 0; i < 4099; i++) {
      const row = Math.floor((i * 61) / 4099) * 67;
      for (let j = 0; j < 4201; j++) if (actual[i * 4201 + j] !== data[row + Math.floor((j * 67) / 4201)]) wrong++;
    }
    expect(wrong).toBe(0);
    await backend.dispose();
  });
});
