// Random numbers of distributions that are computed from some bits each, in place of these bits or from a block of them.

/** `count` numbers in [0, 1) of 24 bits each, in place: times `width`, plus `least`. What rounds to `limit` becomes `least`. */
export function drawUniforms(at: usize, count: i32, least: f64, width: f64, limit: f32): void {
  const mask = i32x4.splat(0xffffff), unit = f32x4.splat(<f32>1 / 16777216);
  const factor = f64x2.splat(width), offset = f64x2.splat(least), first = f32x4.splat(<f32>least), end = f32x4.splat(limit);
  for (; count > 0; count -= 4, at += 16) {
    const bits = count < 4 ? loadPart(at, count) : v128.load(at);
    const x = f32x4.mul(f32x4.convert_i32x4_s(v128.and(bits, mask)), unit);
    const high = v128.shuffle<i64>(x, x, 1, 0);
    const low2 = f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(f64x2.promote_low_f32x4(x), factor), offset));
    const high2 = f32x4.demote_f64x2_zero(f64x2.add(f64x2.mul(f64x2.promote_low_f32x4(high), factor), offset));
    const y = v128.shuffle<i64>(low2, high2, 0, 2);
    storePart(at, v128.bitselect(first, y, f32x4.eq(y, end)), count);
  }
}

/** `count` integers from `least` on, below `least + range`, in place of 32 bits each: what these leave when they are divided. */
export function drawRemainders(at: usize, count: i32, range: f64, least: i32): void {
  const divisor = f64x2.splat(range), first = i32x4.splat(least);
  for (; count > 0; count -= 4, at += 16) {
    const bits = count < 4 ? loadPart(at, count) : v128.load(at);
    const low = rest(f64x2.convert_low_i32x4_u(bits), divisor);
    const high = rest(f64x2.convert_low_i32x4_u(v128.shuffle<i64>(bits, bits, 1, 0)), divisor);
    storePart(at, i32x4.add(v128.shuffle<i64>(low, high, 0, 2), first), count);
  }
}

/** The remainders of two integers below 2^32, whose quotients as doubles have the right floors. */
@inline
function rest(x: v128, y: v128): v128 {
  return i32x4.trunc_sat_f64x2_u_zero(f64x2.sub(x, f64x2.mul(f64x2.floor(f64x2.div(x, y)), y)));
}

/** `count` numbers of float32, 1 where 53 bits, of two words each, are an integer below `limit`, else 0. */
export function drawTrials(words: usize, count: i32, limit: f64, out: usize): void {
  const most = i64x2.splat(<i64>limit), mask = i64x2.splat((1 << 53) - 1), one = f32x4.splat(1);
  for (; count > 0; count -= 4, words += 32, out += 16) {
    const a = v128.load(words), b = v128.load(words, 16);
    // The higher bits are drawn first.
    const x = v128.lt<i64>(v128.and(v128.shuffle<i32>(a, a, 1, 0, 3, 2), mask), most);
    const y = v128.lt<i64>(v128.and(v128.shuffle<i32>(b, b, 1, 0, 3, 2), mask), most);
    storePart(out, v128.and(v128.shuffle<i32>(x, y, 0, 2, 4, 6), one), count);
  }
}

@inline
function loadPart(at: usize, count: i32): v128 {
  let x = v128.load32_zero(at);
  if (count > 1) x = v128.load32_lane(at, x, 1, 4);
  if (count > 2) x = v128.load32_lane(at, x, 2, 8);
  return x;
}

@inline
function storePart(at: usize, x: v128, count: i32): void {
  if (count >= 4) {
    v128.store(at, x);
    return;
  }
  v128.store32_lane(at, x, 0);
  if (count > 1) v128.store32_lane(at, x, 1, 4);
  if (count > 2) v128.store32_lane(at, x, 2, 8);
}
