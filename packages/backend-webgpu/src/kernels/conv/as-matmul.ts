import { dimensionsOf } from "../../shader/geometry.ts";
import { computeType } from "../../wgsl/storage.ts";
import type { Matmul } from "../matmul/matmul.ts";
import type { ConvGeometry, ConvTensors } from "./geometry.ts";

/**
 * A convolution whose kernel covers the whole input once, as in squeeze-and-excitation, is a linear layer. Null where
 * it is none, or where what is summed over does not lie at one distance.
 */
export function asMatmul(geometry: ConvGeometry, { input, weight, bias }: ConvTensors): Matmul | null {
  const { groups, transposed, kernel, padding, dilation, batch, outChannels } = geometry;
  // With padding behind the last element alone there are two results.
  const once = kernel.every(
    (size, d) =>
      size === geometry.input[d] && geometry.output[d] === 1 && padding[d] === 0 && (size === 1 || dilation[d] === 1),
  );
  if (groups !== 1 || transposed || !once || computeType(input.dtype) !== "f32") return null;
  const [from, by] = [input, weight].map(({ shape, strides }) =>
    dimensionsOf({ shape: shape.slice(1), strides: strides.slice(1) }),
  );
  if (from!.length > 1 || by!.length > 1) return null;
  const [x, w] = [from![0] ?? { size: 1, stride: 1 }, by![0] ?? { size: 1, stride: 1 }];
  return {
    a: { ...input, shape: [1, batch, x.size], strides: [0, input.strides[0]!, x.stride] },
    b: { ...weight, shape: [1, w.size, outChannels], strides: [0, w.stride, weight.strides[0]!] },
    bias,
  };
}
