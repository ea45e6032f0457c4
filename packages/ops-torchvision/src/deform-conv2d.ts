import { type Builder, defineOp, type OpRecord, type TensorMeta, type TypedOp } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { columnsByGroup, deformedColumns } from "./deformed-columns.ts";
import { type Geometry, geometryOf, placesOf, type Sampled, sampleAt } from "./deformed-samples.ts";
import { wide } from "./regions.ts";
import { type DeformedCall, requireDeformed } from "./require-deformed.ts";

const SCHEMA =
  "torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor";
const BACKWARD_SCHEMA =
  "torchvision::_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)";

/**
 * Deformable convolution, with a mask of its second version (Dai et al., 2017; Zhu et al., 2018): each element of the
 * kernel reads, interpolated, a place moved by an offset. Offsets are (y, x) for each element, by group.
 */
export const deformConv2d: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  validate: requireDeformed,
  infer(call) {
    const { batch, channelsOut, down, across } = geometryOf(call);
    return { dtype: call.input.dtype, shape: [batch, channelsOut, down, across] };
  },
  decompose(call, b) {
    const { reshape, permute, matmul, add, cast } = arithmetic(b);
    const geometry = geometryOf(call);
    const { batch, channels, channelsOut, groups, taps, down, across } = geometry;
    const [kernel_h, kernel_w] = geometry.kernel;
    const { weight: _, bias: __, groups: ___, input, offset, mask, ...window } = call;
    const wider = { input: wide(input, b), offset: wide(offset, b), mask: wide(mask, b) };
    const columns = b.tensor(deformedColumns, { ...wider, kernel_h, kernel_w, ...window });
    // Elements of the kernel come before channels, as in the columns.
    const split = reshape(wide(call.weight, b), groups, channelsOut / groups, channels / groups, taps);
    const weight = reshape(permute(split, 0, 1, 3, 2), groups, channelsOut / groups, taps * (channels / groups));
    const products = matmul(weight, columnsByGroup(columns, geometry, b));
    const result = add(
      reshape(products, batch, channelsOut, down, across),
      reshape(wide(call.bias, b), channelsOut, 1, 1),
    );
    return cast(result, call.input.dtype);
  },
  gradient({ args, grads: [grad] }, b) {
    const [input, weight, offset, mask, bias] = b.call(deformConv2dBackward, { grad: grad!, ...args });
    return { input, weight, offset, mask, bias };
  },
});

/** The gradients of `deform_conv2d` with respect to input, weight, offset, mask (zeros without one) and bias. */
export const deformConv2dBackward: OpRecord & TypedOp<typeof BACKWARD_SCHEMA> = defineOp(BACKWARD_SCHEMA, {
  validate(call) {
    const problem = requireDeformed(call);
    if (problem !== null) return problem;
    const { batch, channelsOut, down, across } = geometryOf(call);
    const expected = [batch, channelsOut, down, across];
    if (`${call.grad.shape}` !== `${expected}`) return `grad must be [${expected}], not [${call.grad.shape}]`;
    return call.grad.dtype === call.input.dtype ? null : `grad is ${call.grad.dtype}, and input is ${call.input.dtype}`;
  },
  infer: ({ input, weight, offset, mask, bias }) => [input, weight, offset, mask, bias].map(like) as never,
  decompose({ grad: given, ...call }, b) {
    const { reshape, permute, matmul, mul, sum, cast } = arithmetic(b);
    const geometry = geometryOf(call);
    const { batch, groups, channelsOut, taps, pixels } = geometry;
    const grad = reshape(wide(given, b), batch, groups, channelsOut / groups, pixels);
    const { columns, sampled, mask } = columnsOf(call, geometry, b);
    const ofWeight = sum(matmul(grad, permute(columns, 0, 1, 3, 2)), 0);
    const transposed = permute(groupedWeight(call.weight, geometry, b), 0, 2, 1);
    const ofMasked = byOffsetGroup(matmul(transposed, grad), geometry, b);
    const ofColumns = mask === null ? ofMasked : mul(ofMasked, mask);
    const total = (x: TensorMeta): TensorMeta => sum(x, 2);
    const [ofY, ofX] = [sampled.slopeY, sampled.slopeX].map((slope) => total(mul(ofColumns, slope)));
    const pairs = b.tensor("aten::stack", { tensors: [ofY!, ofX!].map((x) => split(x, geometry, b)), dim: 3 });
    const ofMask =
      mask === null
        ? b.tensor("aten::zeros_like", { self: call.mask })
        : reshape(total(mul(ofMasked, sampled.values)), ...call.mask.shape);
    const ofBias = sum(reshape(permute(grad, 1, 2, 0, 3), channelsOut, batch * pixels), 1);
    const results = [
      sampled.spread(ofColumns),
      reshape(ofWeight, ...call.weight.shape),
      reshape(pairs, batch, geometry.offsetGroups * taps * 2, geometry.down, geometry.across),
      ofMask,
      ofBias,
    ];
    return results.map((result) => cast(result, call.input.dtype)) as never;
  },
});

interface Columns {
  /** What the kernel meets, [N, groups, channels of a group · taps, pixels]. */
  readonly columns: TensorMeta;
  readonly sampled: Sampled;
  /** [N, offset groups, 1, taps · pixels] */
  readonly mask: TensorMeta | null;
}

function columnsOf(call: DeformedCall, geometry: Geometry, b: Builder): Columns {
  const { reshape, mul } = arithmetic(b);
  const { batch, channels, groups, offsetGroups, taps, pixels } = geometry;
  const sampled = sampleAt(wide(call.input, b), placesOf(wide(call.offset, b), call, geometry, b), geometry, b);
  const mask = call.use_mask ? reshape(wide(call.mask, b), batch, offsetGroups, 1, taps * pixels) : null;
  const masked = mask === null ? sampled.values : mul(sampled.values, mask);
  return { columns: reshape(masked, batch, groups, (channels / groups) * taps, pixels), sampled, mask };
}

/** [groups, output channels of a group, channels of a group · taps] */
function groupedWeight(weight: TensorMeta, { groups, channels, channelsOut, taps }: Geometry, b: Builder): TensorMeta {
  return arithmetic(b).reshape(wide(weight, b), groups, channelsOut / groups, (channels / groups) * taps);
}

/** Columns by groups of the convolution, by groups of offsets. */
function byOffsetGroup(
  x: TensorMeta,
  { batch, channels, offsetGroups, taps, pixels }: Geometry,
  b: Builder,
): TensorMeta {
  return arithmetic(b).reshape(x, batch, offsetGroups, channels / offsetGroups, taps * pixels);
}

function split(x: TensorMeta, { batch, offsetGroups, taps, pixels }: Geometry, b: Builder): TensorMeta {
  return arithmetic(b).reshape(x, batch, offsetGroups, taps, pixels);
}

function like({ dtype, shape }: TensorMeta): TensorMeta {
  return { dtype, shape };
}
