// Steps of Stockham's algorithm, see packages/engine/src/host/fourier-steps.ts. A vector is one complex number.

/** Exchanges the real and the imaginary part. */
@inline
export function swapParts(x: v128): v128 {
  return v128.shuffle<i64>(x, x, 1, 0);
}

/** x, and its opposite: what parts are multiplied by that were exchanged. */
@inline
function pair(x: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(-x), 0, x);
}

/** (re + i·im)·(c - i·s), with the root c + i·s at `root`. */
@inline
export function twiddled(x: v128, c: v128, s: v128): v128 {
  return f64x2.add(f64x2.mul(x, c), f64x2.mul(swapParts(x), s));
}

@inline
function cosine(root: usize): v128 {
  return v128.load64_splat(root);
}

/** The sine of a root, and its opposite: for parts that were exchanged. */
@inline
export function sine(root: usize): v128 {
  return pair(load<f64>(root, 8));
}

/** (x - y) times -i, each part a difference of its own. */
@inline
export function turnedDifference(x: v128, y: v128): v128 {
  return v128.shuffle<i64>(f64x2.sub(x, y), f64x2.sub(y, x), 1, 2);
}

/**
 * One step of `radix` 2 to 5 from x to y: `count` complex numbers in all, `stride` sequences that earlier steps split a transform
 * into, `lanes` transforms side by side. The roots are cos and sin of 2πk/size.
 */
export function fourierStep(radix: i32, x: usize, y: usize, count: i32, stride: i32, lanes: i32, roots: usize): void {
  const width = <usize>(stride * lanes) << 4, apart = <usize>(count / radix) << 4, next = <usize>stride << 4;
  if (radix == 2) step2(x, y, width, apart, roots, next);
  else if (radix == 3) step3(x, y, width, apart, roots, next);
  else if (radix == 4) step4(x, y, width, apart, roots, next);
  else step5(x, y, width, apart, roots, next);
}

function step2(x: usize, y: usize, width: usize, apart: usize, root: usize, next: usize): void {
  for (const end = x + apart; x < end; y += width, root += next) {
    const c = cosine(root), s = sine(root);
    for (const last = x + width; x < last; x += 16, y += 16) {
      const x0 = v128.load(x), x1 = v128.load(x + apart);
      v128.store(y, f64x2.add(x0, x1));
      v128.store(y + width, twiddled(f64x2.sub(x0, x1), c, s));
    }
  }
}

function step3(x: usize, y: usize, width: usize, apart: usize, roots: usize, next: usize): void {
  const root3 = f64x2.splat(Math.sqrt(3) / 2), half = f64x2.splat(0.5);
  for (let k: usize = 0, end = x + apart; x < end; y += 2 * width, k += next) {
    const c1 = cosine(roots + k), s1 = sine(roots + k), c2 = cosine(roots + 2 * k), s2 = sine(roots + 2 * k);
    for (const last = x + width; x < last; x += 16, y += 16) {
      const x0 = v128.load(x), x1 = v128.load(x + apart), x2 = v128.load(x + 2 * apart);
      const sum = f64x2.add(x1, x2);
      const turned = f64x2.mul(root3, turnedDifference(x1, x2));
      const rest = f64x2.sub(x0, f64x2.mul(sum, half));
      v128.store(y, f64x2.add(x0, sum));
      v128.store(y + width, twiddled(f64x2.add(rest, turned), c1, s1));
      v128.store(y + 2 * width, twiddled(f64x2.sub(rest, turned), c2, s2));
    }
  }
}

function step4(x: usize, y: usize, width: usize, apart: usize, roots: usize, next: usize): void {
  for (let k: usize = 0, end = x + apart; x < end; y += 3 * width, k += next) {
    const c1 = cosine(roots + k), s1 = sine(roots + k), c2 = cosine(roots + 2 * k), s2 = sine(roots + 2 * k);
    const c3 = cosine(roots + 3 * k), s3 = sine(roots + 3 * k);
    for (const last = x + width; x < last; x += 16, y += 16) {
      const x0 = v128.load(x), x1 = v128.load(x + apart), x2 = v128.load(x + 2 * apart), x3 = v128.load(x + 3 * apart);
      const sum = f64x2.add(x0, x2), less = f64x2.sub(x0, x2), odd = f64x2.add(x1, x3);
      const turned = turnedDifference(x1, x3);
      v128.store(y, f64x2.add(sum, odd));
      v128.store(y + width, twiddled(f64x2.add(less, turned), c1, s1));
      v128.store(y + 2 * width, twiddled(f64x2.sub(sum, odd), c2, s2));
      v128.store(y + 3 * width, twiddled(f64x2.sub(less, turned), c3, s3));
    }
  }
}

/** cos and sin of 2π/5 and 4π/5, as JavaScript has them. */
@inline
const COS1: f64 = 0.30901699437494745;
@inline
const SIN1: f64 = 0.9510565162951535;
@inline
const COS2: f64 = -0.8090169943749473;
@inline
const SIN2: f64 = 0.5877852522924732;

function step5(x: usize, y: usize, width: usize, apart: usize, roots: usize, next: usize): void {
  const cos1 = f64x2.splat(COS1), cos2 = f64x2.splat(COS2);
  const sin1 = pair(SIN1), sin2 = pair(SIN2), less1 = pair(-SIN1);
  for (let k: usize = 0, end = x + apart; x < end; y += 4 * width, k += next) {
    const root1 = roots + k, root2 = root1 + k, root3 = root2 + k, root4 = root3 + k;
    for (const last = x + width; x < last; x += 16, y += 16) {
      const x0 = v128.load(x), x1 = v128.load(x + apart), x2 = v128.load(x + 2 * apart);
      const x3 = v128.load(x + 3 * apart), x4 = v128.load(x + 4 * apart);
      const outer = f64x2.add(x1, x4), inner = f64x2.add(x2, x3);
      const o = swapParts(f64x2.sub(x1, x4)), i = swapParts(f64x2.sub(x2, x3));
      const even1 = f64x2.add(f64x2.add(x0, f64x2.mul(cos1, outer)), f64x2.mul(cos2, inner));
      const even2 = f64x2.add(f64x2.add(x0, f64x2.mul(cos2, outer)), f64x2.mul(cos1, inner));
      const odd1 = f64x2.add(f64x2.mul(sin1, o), f64x2.mul(sin2, i));
      const odd2 = f64x2.add(f64x2.mul(sin2, o), f64x2.mul(less1, i));
      v128.store(y, f64x2.add(f64x2.add(x0, outer), inner));
      v128.store(y + width, twiddled(f64x2.add(even1, odd1), cosine(root1), sine(root1)));
      v128.store(y + 2 * width, twiddled(f64x2.add(even2, odd2), cosine(root2), sine(root2)));
      v128.store(y + 3 * width, twiddled(f64x2.sub(even2, odd2), cosine(root3), sine(root3)));
      v128.store(y + 4 * width, twiddled(f64x2.sub(even1, odd1), cosine(root4), sine(root4)));
    }
  }
}
