import type { Helpers } from "./helper-declarations.ts";

export const COMPLEX: Helpers = {
  mul_complex: `fn mul_complex(x: vec2<f32>, y: vec2<f32>) -> vec2<f32> {
  return vec2<f32>(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}`,
};
