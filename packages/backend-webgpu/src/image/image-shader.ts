import { type ShaderFeatures, storageOf, storeExpr } from "../wgsl/storage.ts";
import type { ImageOptions } from "./image-options.ts";

/** The invocations of a workgroup in each direction. */
export const TILE = 8;

/** The numbers of the uniform block, as floats: sizes, then mean and 1 / std of four channels. */
export const PARAMS = 12;

/**
 * Returns the WGSL that reads a picture and writes a tensor [1, channels, height, width]. Each element is the mean of
 * the pixels under a triangle as wide as two pixels of whichever is coarser, picture or tensor: linear interpolation
 * where it grows.
 */
export function imageShader(
  channels: NonNullable<ImageOptions["channels"]>,
  dtype: NonNullable<ImageOptions["dtype"]>,
  features: ShaderFeatures,
): string {
  const { type } = storageOf(dtype, features);
  const value = dtype === "uint8" ? "i32(round(value * 255f))" : "(value - p.mean[c]) * p.scale[c]";
  const main = `
struct Params { from_size: vec2<f32>, to_size: vec2<f32>, mean: vec4<f32>, scale: vec4<f32> }
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<${type}>;
@group(0) @binding(2) var<uniform> p: Params;
@compute @workgroup_size(${TILE}, ${TILE})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let to = vec2<u32>(p.to_size);
  if (id.x >= to.x || id.y >= to.y) { return; }
  let step = p.from_size / p.to_size;
  let reach = max(step, vec2<f32>(1f));
  let center = (vec2<f32>(id.xy) + 0.5f) * step;
  let last = vec2<i32>(p.from_size) - 1;
  let first = max(vec2<i32>(floor(center - reach + 0.5f)), vec2<i32>(0));
  let end = min(vec2<i32>(floor(center + reach + 0.5f)), last + 1);
  var sum = vec4<f32>(0f);
  var weight = 0f;
  for (var y = first.y; y < end.y; y++) {
    let wy = max(0f, 1f - abs((f32(y) + 0.5f - center.y) / reach.y));
    for (var x = first.x; x < end.x; x++) {
      let w = wy * max(0f, 1f - abs((f32(x) + 0.5f - center.x) / reach.x));
      sum += w * textureLoad(picture, vec2<i32>(x, y), 0);
      weight += w;
    }
  }
  var color = sum / weight;
  ${channels === 1 ? "color.x = dot(color.rgb, vec3<f32>(0.299f, 0.587f, 0.114f));" : ""}
  for (var c = 0u; c < ${channels}u; c++) {
    let value = color[c];
    out[(c * to.y + id.y) * to.x + id.x] = ${storeExpr(dtype, value, features)};
  }
}`;
  return `${type === "f16" ? "enable f16;\n" : ""}${main}`;
}
