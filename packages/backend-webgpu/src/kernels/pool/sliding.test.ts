import { type OpCase, runCase } from "@pt2/conformance";
import { slidingWindows } from "@pt2/engine/host";
import { numel } from "@pt2/format";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, test } from "vitest";
import { describeWithDevice } from "../../device.test-helper.ts";
import { VARIANTS, type VariantName, variantBackend } from "../../variants.test-helper.ts";

const registry = createRegistry({ sets: [aten] });

interface PoolCase {
  readonly op: string;
  readonly shape: readonly number[];
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation?: readonly number[];
  readonly ceil?: boolean;
  readonly countsPadding?: boolean;
  /** An element that is NaN. */
  readonly nan?: number;
}

const CASES: readonly PoolCase[] = [
  { op: "max_pool2d", shape: [2, 3, 13, 17], kernel: [3, 3], stride: [2, 2], padding: [1, 1], nan: 100 },
  {
    op: "max_pool2d",
    shape: [3, 7, 11],
    kernel: [2, 5],
    stride: [1, 3],
    padding: [1, 2],
    dilation: [3, 1],
    ceil: true,
  },
  { op: "max_pool2d", shape: [1, 2, 9, 20], kernel: [2, 9], stride: [3, 1], padding: [0, 4] },
  { op: "max_pool1d", shape: [2, 5, 19], kernel: [4], stride: [3], padding: [2] },
  { op: "max_pool3d", shape: [1, 3, 5, 6, 7], kernel: [3, 2, 3], stride: [2, 1, 2], padding: [1, 1, 0], nan: 3 },
  { op: "avg_pool2d", shape: [2, 3, 13, 17], kernel: [3, 3], stride: [2, 2], padding: [1, 1], ceil: true },
  {
    op: "avg_pool2d",
    shape: [1, 2, 7, 9],
    kernel: [3, 4],
    stride: [2, 3],
    padding: [1, 2],
    ceil: true,
    countsPadding: true,
  },
  { op: "avg_pool1d", shape: [2, 5, 23], kernel: [5], stride: [2], padding: [1], countsPadding: true },
  { op: "avg_pool3d", shape: [3, 5, 6, 7], kernel: [2, 3, 3], stride: [1, 2, 2], padding: [1, 1, 1] },
];

await describeWithDevice("sliding windows", () => {
  describe.each(Object.keys(VARIANTS) as VariantName[])("%s", (variant) => {
    test.each(CASES.map((given) => [`${given.op} of [${given.shape}] by [${given.kernel}]`, given] as const))(
      "%s",
      async (_, given) => runCase(await variantBackend(variant), caseOf(given), "inputs", registry, {}),
    );
  });
});

/** The case with its answer, in plain loops. */
function caseOf(given: PoolCase): OpCase {
  const { op, shape, kernel, stride, padding, ceil = false, countsPadding = false } = given;
  const dilation = given.dilation ?? kernel.map(() => 1);
  const isMax = op.startsWith("max");
  const space = shape.slice(-kernel.length);
  const axes = space.map((size, d) => {
    const span = size + 2 * padding[d]! - (kernel[d]! - 1) * dilation[d]! - 1;
    const count = Math.floor((span + (ceil ? stride[d]! - 1 : 0)) / stride[d]!) + 1;
    const outputs = ceil && (count - 1) * stride[d]! >= size + padding[d]! ? count - 1 : count;
    const [k, s, p, step] = [kernel[d]!, stride[d]!, padding[d]!, dilation[d]!];
    return slidingWindows({
      size,
      outputs,
      kernel: k,
      stride: s,
      padding: p,
      dilation: step,
      countIncludePad: countsPadding,
    });
  });
  const x = Float32Array.from({ length: numel(shape) }, (_, i) => ((i * 7919) % 127) - 63);
  if (given.nan !== undefined) x[given.nan] = Number.NaN;
  const windows = axes.reduce<readonly { readonly at: readonly number[]; readonly counted: number }[]>(
    (outer, windows, d) =>
      outer.flatMap(({ at, counted }) =>
        windows.map((window) => ({
          at: at.flatMap((base) => window.positions.map((position) => base * space[d]! + position)),
          counted: counted * window.counted,
        })),
      ),
    [{ at: [0], counted: 1 }],
  );
  const plane = numel(space);
  const results = Array.from({ length: x.length / plane }, (_, n) =>
    windows.map(({ at, counted }) => {
      const values = at.map((i) => x[n * plane + i]!);
      return isMax ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0) / counted;
    }),
  ).flat();
  const outShape = [...shape.slice(0, -kernel.length), ...axes.map((windows) => windows.length)];
  const window = { kernel_size: kernel, stride, padding, ceil_mode: ceil };
  return {
    op: `aten::${op}`,
    name: op,
    args: { self: { tensor: 0 }, ...window, ...(isMax ? { dilation } : { count_include_pad: countsPadding }) },
    tensors: [{ dtype: "float32", shape, data: encoded(x) }],
    expected: [{ dtype: "float32", shape: outShape, data: encoded(Float32Array.from(results)) }],
  };
}

function encoded(elements: Float32Array): string {
  return btoa(Array.from(new Uint8Array(elements.buffer), (byte) => String.fromCharCode(byte)).join(""));
}
