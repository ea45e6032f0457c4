import { compareTensor, someFloats } from "@pt2/conformance";
import { eagerOps } from "@pt2/eager";
import type { OpSet } from "@pt2/registry";
import { type HostTensor, type Tensor, tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { torchvision as portable } from "../index.ts";
import { randomNumbers } from "../random.test-helper.ts";
import { torchvision } from "../webgpu.ts";
import { gpu, noGpu } from "./gpu.test-helper.ts";

const random = randomNumbers(3);

/** Offsets to places of elements and between them, up to far beyond the border of a map of 7 × 5. */
function offsets(...shape: readonly number[]): HostTensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const far = [1e9, -1e9, 3e38, Infinity, -Infinity, Number.NaN];
  const one = (): number => {
    const kind = Math.floor(random() * 10);
    if (kind === 0) return far[Math.floor(random() * far.length)]!;
    return kind < 4 ? Math.floor(random() * 12) - 6 : random() * 12 - 6;
  };
  return tensor("float32", shape, Array.from({ length: count }, one));
}

/** Kernel, stride, padding and dilation, down and across. */
const WINDOW = [3, 2, 1, 2, 2, 1, 2, 1] as const;

describe.skipIf(gpu === null)(`columns of a deformable convolution on a GPU${noGpu}`, () => {
  it.each([
    [1, true],
    [1, false],
    [3, true],
    [6, false],
  ])(
    "with %i groups of offsets and a mask (%s) agree with the decomposition, whatever the strides",
    async (groups, masked) => {
      const transposed = [someFloats(2, 6, 5, 7), offsets(2, 12 * groups, 3, 7), someFloats(2, 6 * groups, 3, 7)];
      const called = async (set: OpSet): Promise<Tensor> => {
        const { ops } = await eagerOps(gpu!, { ops: [set] });
        const views = transposed.map((x) => ops.aten!.permute!<Tensor>(x, [0, 1, 3, 2]));
        return ops.pt2_torchvision!.deformed_columns!<Tensor>(...(views as never[]), ...WINDOW, groups, masked);
      };
      const [found, expected] = [await called(torchvision), await called(portable)];
      const { dtype, shape } = expected;
      expect(shape).toEqual([2, 21, 6, 6]);
      const data = await expected.read();
      expect(await compareTensor(found, { dtype, shape, data }, { rtol: 1e-5, atol: 1e-5 })).toBeNull();
      expect(Array.from(data, Number).some((x) => x !== 0)).toBe(true);
    },
  );
});
