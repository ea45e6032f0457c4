import type { TensorMeta } from "@pt2/registry";
import { geometryOf, type SampledCall } from "./deformed-samples.ts";

/** The arguments of `deform_conv2d`. */
export interface DeformedCall extends SampledCall {
  readonly offset: TensorMeta;
  readonly mask: TensorMeta;
  readonly bias: TensorMeta;
  readonly use_mask: boolean;
}

/** What is wrong with a call, by torchvision's own conditions; null where nothing is. */
export function requireDeformed(call: DeformedCall): string | null {
  const { input, weight, offset, mask, bias, groups, offset_groups } = call;
  for (const [name, { shape }] of Object.entries({ input, weight, offset })) {
    if (shape.length !== 4) return `${name} must have four dimensions, not [${shape}]`;
  }
  for (const [name, x] of Object.entries({ weight, offset, mask, bias })) {
    if (x.dtype !== input.dtype) return `${name} is ${x.dtype}, and input is ${input.dtype}`;
  }
  if (!/^float(16|32|64)$/.test(input.dtype)) return `deform_conv2d is not implemented for ${input.dtype}`;
  if (call.stride_h <= 0 || call.stride_w <= 0)
    return `the stride must be positive: ${call.stride_h}, ${call.stride_w}`;
  if (call.pad_h < 0 || call.pad_w < 0) return `the padding must not be negative: ${call.pad_h}, ${call.pad_w}`;
  if (call.dilation_h <= 0 || call.dilation_w <= 0) {
    return `the dilation must be positive: ${call.dilation_h}, ${call.dilation_w}`;
  }
  const [batch, channels] = input.shape as [number, number];
  const [out, share, rows, columns] = weight.shape as [number, number, number, number];
  if (rows < 1 || columns < 1) return `the kernel must have elements, and is ${rows} × ${columns}`;
  if (groups < 1 || share * groups !== channels)
    return `input has ${channels} channels, and weight ${share} × ${groups}`;
  if (out % groups !== 0) return `the ${out} output channels are not a multiple of ${groups} groups`;
  if (offset_groups < 1 || channels % offset_groups !== 0) {
    return `the ${channels} channels are not a multiple of ${offset_groups} offset groups`;
  }
  const { taps, down, across } = geometryOf(call);
  if (down <= 0 || across <= 0) return `the result would be empty: ${down} × ${across}`;
  const expected = [batch, 2 * offset_groups * taps, down, across];
  if (`${offset.shape}` !== `${expected}`) return `offset must be [${expected}], not [${offset.shape}]`;
  const masks = [batch, offset_groups * taps, down, across];
  if (call.use_mask && `${mask.shape}` !== `${masks}`) return `mask must be [${masks}], not [${mask.shape}]`;
  return `${bias.shape}` === `${out}` ? null : `bias must be [${out}], not [${bias.shape}]`;
}
