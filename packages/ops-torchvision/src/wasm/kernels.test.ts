import { wasm } from "@pt2/backend-wasm/node";
import { compareTensor, someFloats } from "@pt2/conformance";
import { type EagerTensor, eagerOps } from "@pt2/eager";
import type { OpSet } from "@pt2/registry";
import { type HostTensor, type Tensor, tensor } from "@pt2/runtime/node";
import { afterAll, describe, expect, it } from "vitest";
import { torchvision as portable } from "../index.ts";
import { randomNumbers, randomRegions } from "../random.test-helper.ts";
import { torchvision } from "../wasm.ts";

const backend = wasm({ worker: false });
afterAll(async () => await backend.dispose());

const sets = await Promise.all([torchvision, portable].map((set: OpSet) => eagerOps(backend, { ops: [set] })));
const random = randomNumbers(5);
const below = (n: number): number => Math.floor(random() * n);

/** Calls an op by its kernel and by its rules, on views of other strides, and expects the same. Returns the numbers. */
async function expectSame(op: string, args: readonly unknown[], order?: readonly number[]): Promise<readonly number[]> {
  const [space, name] = op.split("::") as [string, string];
  const results = await Promise.all(
    sets.map(async ({ aten, ops }) => {
      const transposed = (x: unknown): unknown => (isPlane(x) && order ? aten.permute(x as EagerTensor, order) : x);
      const call = ops[space]![name]!<Tensor | Tensor[] | Promise<Tensor[]>>;
      return [await call(...(args.map(transposed) as never[]))].flat();
    }),
  );
  const [found, expected] = results as [Tensor[], Tensor[]];
  expect(found).toHaveLength(expected.length);
  for (const [i, { dtype, shape }] of expected.entries()) {
    const data = await expected[i]!.read();
    expect(await compareTensor(found[i]!, { dtype, shape, data }, { rtol: 1e-4, atol: 1e-5 })).toBeNull();
  }
  return Array.from(await found[0]!.read(), Number);
}

function isPlane(x: unknown): boolean {
  return typeof x === "object" && (x as HostTensor).shape.length === 4;
}

/** Sizes that are no multiples of vectors, and bins. */
const SIZES = [
  [1, 1, 1, 1, 1, 1],
  [2, 19, 7, 11, 2, 3],
  [3, 5, 13, 3, 5, 1],
  [1, 37, 1, 17, 1, 7],
  [2, 3, 11, 2, 3, 3],
] as const;

describe("kernels in WebAssembly", () => {
  it.each(SIZES)("pool maps %i × %i × %i × %i in %i × %i bins as the rules do", async (n, c, h, w, down, across) => {
    const sizes = [n, h, c, w] as const;
    for (const count of [1, 23]) {
      const rois = randomRegions(random, count, n, true);
      const bins = [0.5, down, across] as const;
      for (const [ratio, aligned] of [
        [-1, true],
        [-1, false],
        [2, true],
        [71, false],
      ] as const) {
        const x = someFloats(...sizes);
        await expectSame("torchvision::roi_align", [x, rois, ...bins, ratio, aligned], [0, 2, 1, 3]);
        const own = someFloats(n, h, c * down * across, w);
        await expectSame("torchvision::ps_roi_align", [own, rois, ...bins, ratio], [0, 2, 1, 3]);
      }
      const numbers = Array.from(await someFloats(...sizes).read(), Number);
      const data = numbers.map((x) => (below(9) ? Math.round(x) : notFinite()));
      await expectSame("torchvision::roi_pool", [tensor("float32", sizes, data), rois, ...bins], [0, 2, 1, 3]);
      const own = someFloats(n, h, c * down * across, w);
      await expectSame("torchvision::ps_roi_pool", [own, rois, ...bins], [0, 2, 1, 3]);
    }
  });

  it.each([
    [1, 1, true],
    [3, 2, false],
    [7, 7, true],
  ])("sample %i channels in %i groups as the rules do, at any offset", async (channels, groups, masked) => {
    for (const [rows, columns, stride, pad, dilation] of [
      [1, 1, 1, 0, 1],
      [3, 2, 2, 1, 1],
      [2, 3, 1, 2, 3],
    ] as const) {
      const size = (length: number, kernel: number): number =>
        Math.floor((length + 2 * pad - dilation * (kernel - 1) - 1) / stride) + 1;
      const [down, across] = [size(7, rows), size(11, columns)];
      const share = groups === 2 ? 6 : channels;
      const places = 2 * groups * rows * columns;
      const offset = tensor(
        "float32",
        [2, down, places, across],
        Array.from({ length: 2 * places * down * across }, anyOffset),
      );
      const mask = someFloats(2, down, groups * rows * columns, across);
      const window = [rows, columns, stride, stride, pad, pad, dilation, dilation];
      const call = [someFloats(2, 7, share, 11), offset, mask, ...window, groups, masked];
      await expectSame("pt2_torchvision::deformed_columns", call, [0, 2, 1, 3]);
    }
  });

  it("take as many regions of a large map as there are, without a copy of it for each", async () => {
    // A copy for each would be 12.9 GB, and a memory has 4.
    const [count, c, h, w] = [5003, 64, 101, 100];
    const features = someFloats(1, c, h, w);
    const rois = tensor(
      "float32",
      [count, 5],
      Array.from({ length: count }, () => {
        const [x, y] = [below(90), below(90)];
        return [0, x, y, x + below(9), y + below(9)];
      }).flat(),
    );
    const most = await expectSame("torchvision::roi_pool", [features, rois, 1, 1, 1]);
    expect(most).toHaveLength(count * c);
  });

  it("leave other dtypes to the rules", async () => {
    for (const dtype of ["float16", "float64"] as const) {
      const rois = tensor(dtype, [2, 5], [0, 1, 1, 5, 4, 1, 2, 0, 3, 3]);
      const x = tensor(dtype, [2, 4, 5, 7], Array.from(await someFloats(2, 4, 5, 7).read(), Number));
      await expectSame("torchvision::roi_align", [x, rois, 1, 2, 2, 2, true]);
      await expectSame("torchvision::ps_roi_align", [x, rois, 1, 2, 2, -1]);
      await expectSame("torchvision::roi_pool", [x, rois, 1, 2, 2]);
      await expectSame("torchvision::ps_roi_pool", [x, rois, 1, 2, 2]);
    }
  });
});

/** What is not finite, which has no place among the largest elements but for plus infinity. */
function notFinite(): number {
  return [Number.NaN, Infinity, -Infinity][below(3)]!;
}

function anyOffset(): number {
  const kind = below(12);
  if (kind === 0) return [Number.NaN, Infinity, -Infinity, 3e38, -1e9][below(5)]!;
  return kind < 4 ? below(12) - 6 : random() * 12 - 6;
}
