// The kernels compute what the host's do, bit by bit.
import { type HostTensor, hostTensor, viewAs } from "@pt2/backend";
import { loadHostKernels, type RandomState } from "@pt2/engine";
import { runHostKernel } from "@pt2/engine/host";
import type { DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { runByAnyThreads } from "../../threads/by-any-threads.test-helper.ts";
import { KERNEL_PARTS } from "../kernels-on-demand.ts";
import { FOURIER_KERNELS } from "./fourier.ts";

const SHORT = { float32: "f32", float64: "f64", complex64: "c64", complex128: "c128" } as const;
const REAL = { complex64: "float32", complex128: "float64" } as const;
type Real = keyof typeof REAL;

const unit = randomUnit(17);

function tensor(dtype: keyof typeof SHORT, shape: readonly number[], isReal = false): HostTensor {
  const parts = dtype.startsWith("complex") ? 2 : 1;
  const count = parts * shape.reduce((n, size) => n * size, 1);
  const numbers = Float64Array.from({ length: count }, (_, i) => (isReal && i % 2 === 1 ? 0 : unit() - 0.5));
  const isNarrow = dtype === "float32" || dtype === "complex64";
  return hostTensor(dtype, shape, isNarrow ? Float32Array.from(numbers) : numbers);
}

interface Call {
  readonly op: "aten::_fft_r2c" | "aten::_fft_c2r" | "aten::_fft_c2c";
  readonly dim: readonly number[];
  readonly normalization: number;
  readonly onesided?: boolean;
  readonly forward?: boolean;
  readonly last_dim_size?: number;
}

/** Runs a call on a tensor as it lies, and on one that lies transposed; compares both with the host's kernel. */
async function expectSame(call: Call, self: HostTensor, result: DType, shape: readonly number[]): Promise<void> {
  const { op, ...given } = call;
  const settings = Object.entries(given).map(
    ([name, value]) => `${name}=${Array.isArray(value) ? `[${value}]` : value}`,
  );
  const rank = self.shape.length;
  const across = [...self.shape].reverse();
  const back = across.map((_, d) => rank - 1 - d);
  const [x, y] = [SHORT[self.dtype as Real], SHORT[result as Real]];
  const results = await runByAnyThreads(
    `
    user_input %x: ${x}[${self.shape}]
    user_input %t: ${x}[${across}]
    %s: ${x}[${self.shape}] = aten::permute(self=%t, dims=[${back}])
    %y: ${y}[${shape}] = ${op}(self=%x, ${settings.join(", ")})
    %z: ${y}[${shape}] = ${op}(self=%s, ${settings.join(", ")})
    return %y, %z`,
    [self, transposed(self)],
  );
  const meta: TensorMeta = { dtype: self.dtype, shape: self.shape };
  const args = { self: meta, ...given };
  expect(KERNEL_PARTS.find(op, args)).toBe(FOURIER_KERNELS.find(({ ops }) => ops.includes(op)));
  const kernel = (await loadHostKernels()).find(({ ops }) => ops.includes(op))!;
  const data = { dtype: self.dtype, shape: self.shape, bytes: self.bytes };
  const [right] = runHostKernel(kernel, {
    args,
    tensor: () => data,
    results: [{ dtype: result, shape }],
    random: {} as RandomState,
  });
  for (const { bytes } of results) expect(Buffer.compare(bytes, right!.bytes)).toBe(0);
}

/** The elements in the opposite order of dimensions. */
function transposed({ dtype, shape, bytes }: HostTensor): HostTensor {
  const across = [...shape].reverse();
  const size = bytes.length / shape.reduce((n, each) => n * each, 1);
  const moved = new Uint8Array(bytes.length);
  const index = shape.map(() => 0);
  for (let i = 0; i < bytes.length; i += size) {
    const at = index.reduceRight((offset, place, d) => offset * shape[d]! + place, 0);
    moved.set(bytes.subarray(i, i + size), at * size);
    for (let d = shape.length - 1; d >= 0 && ++index[d]! === shape[d]; d--) index[d] = 0;
  }
  return hostTensor(dtype, across, viewAs(dtype, moved));
}

const SHAPES: readonly (readonly [shape: readonly number[], dim: readonly number[]])[] = [
  [[2], [0]],
  [[3, 8], [1]],
  [[19, 400], [1]],
  [[1, 1000], [1]],
  [[10, 7], [0]],
  [
    [6, 5, 4],
    [0, 1],
  ],
  [
    [6, 5, 4],
    [2, 1, 0],
  ],
  [
    [9, 16, 3],
    [0, 1],
  ],
  [
    [2, 3, 20, 12],
    [2, 3],
  ],
  [[19, 14], [1]],
  [
    [300, 3, 7],
    [0, 2],
  ],
  [
    [3, 21, 22],
    [2, 1],
  ],
  [
    [13, 9, 11],
    [0, 1, 2],
  ],
  [
    [2, 17, 34],
    [1, 2],
  ],
  [[1], [0]],
  [[2, 1001], [1]],
  [[9, 1009], [1]],
];

test.each(SHAPES)(
  "real numbers of %j along %j have the host's spectra, and come back from halves",
  async (shape, dim) => {
    const last = dim.at(-1)!;
    for (const dtype of ["complex64", "complex128"] as const) {
      for (const normalization of [0, 1, 2]) {
        const half = shape.with(last, Math.floor(shape[last]! / 2) + 1);
        const self = tensor(REAL[dtype], shape);
        await expectSame({ op: "aten::_fft_r2c", dim, normalization, onesided: true }, self, dtype, half);
        await expectSame({ op: "aten::_fft_r2c", dim, normalization, onesided: false }, self, dtype, shape);
        const call = { op: "aten::_fft_c2r", dim, normalization, last_dim_size: shape[last]! } as const;
        await expectSame(call, tensor(dtype, half), REAL[dtype], shape);
      }
    }
  },
);

test.each(SHAPES)(
  "complex numbers of %j along %j have the host's spectra, also where they are real",
  async (shape, dim) => {
    for (const dtype of ["complex64", "complex128"] as const) {
      for (const forward of [true, false]) {
        for (const isReal of [true, false]) {
          const self = tensor(dtype, shape, isReal);
          await expectSame({ op: "aten::_fft_c2c", dim, normalization: forward ? 0 : 2, forward }, self, dtype, shape);
        }
      }
    }
  },
);

test("a long transform is one lane, and too long ones are left to the host", async () => {
  const self = tensor("complex64", [2, 2 ** 15]);
  await expectSame({ op: "aten::_fft_c2c", dim: [1], normalization: 0, forward: true }, self, "complex64", self.shape);
  const args = { dim: [0], normalization: 0, forward: true };
  for (const [size, isKernel] of [
    [2 ** 20, true],
    [2 ** 22, false],
    // A convolution of twice the length.
    [2 ** 19 - 1, true],
    [2 ** 20 - 3, false],
  ] as const) {
    const given = { ...args, self: { dtype: "complex64", shape: [size] } as TensorMeta };
    expect(FOURIER_KERNELS.some(({ ops, accepts }) => ops.includes("aten::_fft_c2c") && accepts!(given))).toBe(
      isKernel,
    );
  }
});
