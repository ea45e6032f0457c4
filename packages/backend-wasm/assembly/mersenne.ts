// MT19937, in vectors, as packages/backend/src/random/mersenne-twister.ts computes it.

const SIZE: i32 = 624;
const OFFSET: i32 = 397;

@inline
function twisted(current: v128, following: v128, far: v128): v128 {
  const pair = v128.bitselect(current, following, i32x4.splat(0x80000000));
  const odd = i32x4.neg(v128.and(pair, i32x4.splat(1)));
  return v128.xor(v128.xor(far, i32x4.shr_u(pair, 1)), v128.and(odd, i32x4.splat(0x9908b0df)));
}

/** Renews an integer of the state; `far` in bytes. */
@inline
function twistOne(at: usize, following: usize, far: isize): void {
  const next = twisted(v128.load32_zero(at), v128.load32_zero(following), v128.load32_zero(at + far));
  v128.store32_lane(at, next, 0);
}

@inline
function tempered(bits: v128): v128 {
  bits = v128.xor(bits, i32x4.shr_u(bits, 11));
  bits = v128.xor(bits, v128.and(i32x4.shl(bits, 7), i32x4.splat(0x9d2c5680)));
  bits = v128.xor(bits, v128.and(i32x4.shl(bits, 15), i32x4.splat(0xefc60000)));
  return v128.xor(bits, i32x4.shr_u(bits, 18));
}

/** Writes `blocks` of 624 numbers of 32 bits, and brings the state up to date. */
export function mersenneBlocks(state: usize, blocks: i32, out: usize): void {
  const ahead: isize = <isize>OFFSET << 2, back: isize = <isize>(OFFSET - SIZE) << 2;
  // Four at a time: of the first 227, three are left, and of the others the last, which the first follows.
  const middle = state + (<usize>(SIZE - OFFSET) << 2), last = state + (<usize>(SIZE - 1) << 2);
  for (; blocks > 0; blocks--) {
    let at = state;
    for (; at + 16 <= middle; at += 16) v128.store(at, twisted(v128.load(at), v128.load(at, 4), v128.load(at + ahead)));
    for (; at < middle; at += 4) twistOne(at, at + 4, ahead);
    for (; at < last; at += 16) v128.store(at, twisted(v128.load(at), v128.load(at, 4), v128.load(at + back)));
    twistOne(last, state, back);
    for (at = state; at <= last; at += 16, out += 16) v128.store(out, tempered(v128.load(at)));
  }
}
