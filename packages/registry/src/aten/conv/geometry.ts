import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { perDim } from "../support/dims.ts";
import { checkSameDtype } from "../support/dtypes.ts";

/** The arguments of `aten::convolution`. */
export interface Convolution {
  readonly input: TensorMeta;
  readonly weight: TensorMeta;
  readonly bias: TensorMeta | null;
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly transposed: boolean;
  readonly output_padding: readonly number[];
  readonly groups: number;
}

/** Infers the result of a batched convolution, with all of PyTorch's checks. */
export function convolved(conv: Convolution): TensorMeta {
  const { input, weight, transposed, groups } = conv;
  const rank = weight.shape.length;
  check(
    input.shape.length === rank && rank >= 3,
    () => `Expected ${rank}D input to convolution, but got input of size: ${show(input.shape)}`,
  );
  const channels = checkChannels(conv);
  const args = windows(conv);
  const spatial = input.shape.slice(2).map((size, d) => {
    const [stride, padding, dilation, extra, kernel] = [
      args.stride[d]!,
      args.padding[d]!,
      args.dilation[d]!,
      args.output_padding[d]!,
      weight.shape[d + 2]!,
    ];
    const reach = dilation * (kernel - 1) + 1;
    check(extra >= 0, "negative output_padding is not supported");
    check(
      !transposed || extra < stride || extra < dilation,
      () =>
        `output padding must be smaller than either stride or dilation, but got ${extra} for ${stride} and ${dilation}`,
    );
    check(stride > 0, "non-positive stride is not supported");
    check(dilation > 0, "dilation should be greater than zero");
    check(padding >= 0, "negative padding is not supported");
    const result = transposed
      ? (size - 1) * stride - 2 * padding + reach + extra
      : Math.floor((size + 2 * padding - reach) / stride) + 1;
    check(
      // PyTorch's library for bfloat16 computes results without elements.
      transposed ? result > (input.dtype === "bfloat16" ? -1 : 0) : size + 2 * padding >= reach,
      () =>
        `Calculated padded input size per channel: (${size + 2 * padding}). Kernel size: (${reach}). Kernel size can't be greater than actual input size`,
    );
    return result;
  });
  return { dtype: input.dtype, shape: [input.shape[0]!, transposed ? channels * groups : channels, ...spatial] };
}

/** Expands the window arguments to one entry per spatial dimension. */
export function windows(conv: Convolution): Pick<Convolution, "stride" | "padding" | "dilation" | "output_padding"> {
  const spatial = conv.weight.shape.length - 2;
  check(spatial > 0, () => `weight should have at least three dimensions, but got ${show(conv.weight.shape)}`);
  return {
    stride: perDim(conv.stride, spatial, "stride"),
    padding: perDim(conv.padding, spatial, "padding"),
    dilation: perDim(conv.dilation, spatial, "dilation"),
    output_padding: perDim(conv.output_padding.length === 0 ? [0] : conv.output_padding, spatial, "output_padding"),
  };
}

/** Checks the channels, and returns the output channels of the weight (per group if transposed). */
function checkChannels({ input, weight, bias, transposed, groups }: Convolution): number {
  const [first, second] = weight.shape as readonly [number, number];
  checkSameDtype("convolution", input, weight, ...(bias === null ? [] : [bias]));
  check(groups > 0, "non-positive groups is not supported");
  check(
    first % groups === 0,
    () =>
      `expected weight to be at least ${groups} and divisible by it at dimension 0, but got weight of size ${show(weight.shape)} instead`,
  );
  const expected = transposed ? first : second * groups;
  check(
    input.shape[1] === expected,
    () =>
      `Given groups=${groups}, weight of size ${show(weight.shape)}, expected input${show(input.shape)} to have ${expected} channels, but got ${input.shape[1]} channels instead`,
  );
  const out = transposed ? second * groups : first;
  check(
    bias === null || (bias.shape.length === 1 && bias.shape[0] === out),
    () =>
      `Given weight of size ${show(weight.shape)}, expected bias to be 1-dimensional with ${out} elements, but got bias of size ${show(bias!.shape)} instead`,
  );
  return transposed ? second : first;
}
