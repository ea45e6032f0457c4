import type { KernelCall, Shader } from "@pt2/backend-webgpu";
import type { TensorMeta } from "@pt2/registry";

/** What all ops on regions take. */
export interface RegionArgs {
  readonly input: TensorMeta;
  readonly rois: TensorMeta;
  readonly spatial_scale: number;
  readonly pooled_height: number;
  readonly pooled_width: number;
}

/** Begins a shader that reads features as `feature(n, c, y, x)` and regions as {@link REGIONS} says. */
export function regionShader(call: KernelCall, name: string, args: RegionArgs): Shader {
  const [pictures, , height, width] = args.input.shape as [number, number, number, number];
  const shader = call.shader(name).at("feature", call.tensor(args.input)).at("rois", call.tensor(args.rois));
  shader.u32("pictures", pictures).u32("height", height).u32("width", width);
  return shader.u32("down", args.pooled_height).u32("across", args.pooled_width).f32("scale", args.spatial_scale);
}

/**
 * WGSL of regions: `edge(k, e)` is edge 1 to 4 of region k in elements of the map, and `picture(k)` which picture it is of, cut
 * to an integer as C does; −1 where that picture is not there.
 */
export const REGIONS = `fn edge(k: u32, e: u32) -> f32 { return rois(k, e) * p.scale; }
fn picture(k: u32) -> i32 {
  let n = rois(k, 0u);
  if (is_nan(n) || n <= -1f || n >= f32(p.pictures)) { return -1; }
  return i32(n);
}
`;

/** Adds the dispatch: `body` once for each region `k`, channel `c` below `channels` and bin `py`, `px`; `i` counts all. */
export function forEachBin(
  shader: Shader,
  { rois, pooled_height, pooled_width }: RegionArgs,
  channels: number,
  body: string,
  declarations: string,
): void {
  shader.u32("channels", channels).forEach(
    rois.shape[0]! * channels * pooled_height * pooled_width,
    `let px = i % p.across;
  let py = i / p.across % p.down;
  let c = i / (p.across * p.down) % p.channels;
  let k = i / (p.across * p.down * p.channels);
  ${body}`,
    { declarations },
  );
}
