// Normal numbers, see packages/backend/src/random/box-muller.ts: the same in two lanes, to the bit. A product of two floats is exact in
// float64, so a product and a sum are rounded once where that is rounded to float32.

/** Rounds to float32. */
@inline
function round(x: v128): v128 {
  return f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(x));
}

/** x · y + z, rounded once. */
@inline
function fused(x: v128, y: v128, z: v128): v128 {
  return round(f64x2.add(f64x2.mul(x, y), z));
}

@inline
function number(x: f64): v128 {
  return f64x2.splat(x);
}

/** x, with the opposite sign where a lane of `bits` is not 0. */
@inline
function signed(x: v128, bits: v128): v128 {
  return v128.xor(x, v128.and(i64x2.ne(bits, i64x2.splat(0)), i64x2.splat(i64.MIN_VALUE)));
}

/** Logarithms of numbers from 2^-24 to 1. */
@inline
function logarithm(x: v128): v128 {
  const fraction = v128.or(v128.and(x, i64x2.splat(0xfffffffffffff)), number(0.5));
  const isLow = f64x2.lt(fraction, number(0.7071067690849304));
  const exponents = i64x2.add(i64x2.sub(i64x2.shr_u(x, 52), i64x2.splat(1022)), isLow);
  const exponent = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(exponents, exponents, 0, 2, 0, 2));
  const r = f64x2.sub(f64x2.add(fraction, v128.and(fraction, isLow)), number(1));
  const square = round(f64x2.mul(r, r));
  let y = fused(number(0.07037683576345444), r, number(-0.11514610052108765));
  y = fused(y, r, number(0.11676998436450958));
  y = fused(y, r, number(-0.12420140951871872));
  y = fused(y, r, number(0.14249323308467865));
  y = fused(y, r, number(-0.16668057441711426));
  y = fused(y, r, number(0.2000071406364441));
  y = fused(y, r, number(-0.24999994039535522));
  y = fused(y, r, number(0.3333333134651184));
  y = fused(round(f64x2.mul(y, r)), square, round(f64x2.mul(exponent, number(-0.00021219444170128554))));
  y = fused(square, number(-0.5), y);
  return fused(exponent, number(0.693359375), round(f64x2.add(r, y)));
}

@inline
function loadTwo(p: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(p));
}

/**
 * Makes normal numbers of blocks of 16 uniform ones in [0, 1), float32, in place: the first eight give the radius, the others the
 * angle.
 */
export function normalBlocks(p: usize, blocks: i32, mean: f32, std: f32): void {
  const center = f64x2.splat(mean), spread = f64x2.splat(std);
  for (const end = p + (<usize>blocks << 6); p < end; p += 32) {
    for (const last = p + 32; p < last; p += 8) {
      const radius = round(f64x2.sqrt(round(f64x2.mul(number(-2), logarithm(f64x2.sub(number(1), loadTwo(p)))))));
      const angle = round(f64x2.mul(number(6.2831854820251465), loadTwo(p + 32)));
      // Octants, the odd ones rounded up, and a quarter of pi in three parts.
      const below = i32x4.trunc_sat_f64x2_s_zero(round(f64x2.mul(angle, number(1.2732394933700562))));
      const octant = v128.and(i32x4.add(below, i32x4.splat(1)), i32x4.splat(-2));
      const octants = f64x2.convert_low_i32x4_s(octant);
      let x = fused(octants, number(-0.78515625), angle);
      x = fused(octants, number(-0.00024187564849853516), x);
      x = fused(octants, number(-3.774895063202166e-8), x);
      const square = round(f64x2.mul(x, x));
      let cosine = fused(number(0.0000244331567955669), square, number(-0.0013887316454201937));
      cosine = fused(cosine, square, number(0.04166664555668831));
      cosine = fused(round(f64x2.mul(cosine, square)), square, round(f64x2.mul(square, number(-0.5))));
      cosine = round(f64x2.add(cosine, number(1)));
      let sine = fused(number(-0.00019515295571181923), square, number(0.008332161232829094));
      sine = fused(sine, square, number(-0.16666655242443085));
      sine = fused(round(f64x2.mul(sine, square)), x, x);
      const bits = i64x2.extend_low_i32x4_u(octant);
      const isSwapped = i64x2.ne(v128.and(bits, i64x2.splat(2)), i64x2.splat(0));
      const right = signed(v128.bitselect(sine, cosine, isSwapped), v128.and(i64x2.add(bits, i64x2.splat(2)), i64x2.splat(4)));
      const above = signed(v128.bitselect(cosine, sine, isSwapped), v128.and(bits, i64x2.splat(4)));
      const across = f64x2.add(f64x2.mul(round(f64x2.mul(radius, right)), spread), center);
      const up = f64x2.add(f64x2.mul(round(f64x2.mul(radius, above)), spread), center);
      v128.store64_lane(p, f32x4.demote_f64x2_zero(across), 0);
      v128.store64_lane(p + 32, f32x4.demote_f64x2_zero(up), 0);
    }
  }
}
