import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { type Geometry, geometryOf, placesOf, sampleAt } from "./deformed-samples.ts";
import { requireDeformed } from "./require-deformed.ts";

const SCHEMA =
  "pt2_torchvision::deformed_columns(Tensor input, Tensor offset, Tensor mask, SymInt kernel_h, SymInt kernel_w, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt offset_groups, bool use_mask) -> Tensor";

/**
 * What the kernel of a deformable convolution meets at each pixel of the result: interpolated samples of the input,
 * multiplied by the mask, [N, pixels, elements of the kernel, channels]. The rest of the convolution is a product of
 * matrices.
 */
export const deformedColumns: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate: requireColumns,
  infer(call) {
    const { batch, pixels, taps, channels } = columnGeometry(call);
    return { dtype: call.input.dtype, shape: [batch, pixels, taps, channels] };
  },
  decompose(call, b) {
    const { reshape, permute, mul } = arithmetic(b);
    const geometry = columnGeometry(call);
    const { batch, channels, offsetGroups, taps, pixels } = geometry;
    const { values } = sampleAt(call.input, placesOf(call.offset, windowOf(call), geometry, b), geometry, b);
    const mask = call.use_mask ? reshape(call.mask, batch, offsetGroups, 1, taps * pixels) : null;
    const masked = mask === null ? values : mul(values, mask);
    return permute(reshape(masked, batch, channels, taps, pixels), 0, 3, 2, 1);
  },
});

interface ColumnCall {
  readonly input: TensorMeta;
  readonly offset: TensorMeta;
  readonly mask: TensorMeta;
  readonly kernel_h: number;
  readonly kernel_w: number;
  readonly stride_h: number;
  readonly stride_w: number;
  readonly pad_h: number;
  readonly pad_w: number;
  readonly dilation_h: number;
  readonly dilation_w: number;
  readonly offset_groups: number;
  readonly use_mask: boolean;
}

/** torchvision's own conditions of a convolution, as far as its columns have them. */
function requireColumns(call: ColumnCall): string | null {
  const { dtype } = call.input;
  const weight = { dtype, shape: [1, call.input.shape[1] ?? 0, call.kernel_h, call.kernel_w] };
  return requireDeformed({ ...call, weight, bias: { dtype, shape: [1] }, groups: 1 });
}

/**
 * Whether kernels with integers of 32 bits may take a call: strides, paddings and distances are numbers whose sums these hold,
 * and each of which is a float32.
 */
export function hasSmallWindow(call: ColumnCall): boolean {
  const { stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w } = call;
  return [stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w].every((number) => number < 2 ** 24);
}

/** Returns the sizes of a call; the convolution's own channels and groups play no part. */
export function columnGeometry(call: ColumnCall): Geometry {
  return geometryOf(windowOf(call));
}

function windowOf(call: ColumnCall): Parameters<typeof geometryOf>[0] {
  const weight = { dtype: call.input.dtype, shape: [1, 1, call.kernel_h, call.kernel_w] };
  return { ...call, weight, groups: 1 };
}

/** Makes the columns of a convolution by groups, [N, groups, elements of the kernel · channels of a group, pixels]. */
export function columnsByGroup(
  columns: TensorMeta,
  { batch, pixels, taps, channels, groups }: Geometry,
  b: Builder,
): TensorMeta {
  const { reshape, permute } = arithmetic(b);
  const share = channels / groups;
  const byGroup = permute(reshape(columns, batch, pixels, taps, groups, share), 0, 3, 2, 4, 1);
  return reshape(byGroup, batch, groups, taps * share, pixels);
}
