/** Singular values of `[[f, g], [0, h]]`, with signs, and the rotations that make it diagonal. */
export interface TwoValues {
  readonly large: number;
  readonly small: number;
  readonly left: { readonly c: number; readonly s: number };
  readonly right: { readonly c: number; readonly s: number };
}

/** LAPACK's lasv2. */
export function valuesOfTwo(f: number, g: number, h: number, precision: number): TwoValues {
  const swapped = Math.abs(h) > Math.abs(f);
  const [ft, ht] = swapped ? [h, f] : [f, h];
  const [fa, ga, ha] = [Math.abs(ft), Math.abs(g), Math.abs(ht)];
  let [least, most, clt, crt, slt, srt] = [ha, fa, 1, 1, 0, 0];
  if (ga > fa && fa / ga < precision) {
    [most, least] = [ga, ha > 1 ? fa / (ga / ha) : (fa / ga) * ha];
    [slt, srt, crt] = [ht / g, 1, ft / g];
  } else if (ga !== 0) {
    const apart = fa - ha;
    const l = apart === fa ? 1 : apart / fa;
    const m = g / ft;
    const s = Math.hypot(2 - l, m);
    const r = l === 0 ? Math.abs(m) : Math.hypot(l, m);
    const a = (s + r) / 2;
    [least, most] = [ha / a, fa * a];
    const straight = l === 0 ? 2 * sign(ft) * sign(g) : g / (sign(ft) * apart) + m / (2 - l);
    const t = m * m === 0 ? straight : (m / (s + 2 - l) + m / (r + l)) * (1 + a);
    const size = Math.hypot(t, 2);
    [crt, srt] = [2 / size, t / size];
    [clt, slt] = [(crt + srt * m) / a, ((ht / ft) * srt) / a];
  }
  const [left, right] = [
    { c: clt, s: slt },
    { c: crt, s: srt },
  ] as const;
  const turned = swapped ? { left: flipped(right), right: flipped(left) } : { left, right };
  const side = signOf(turned, { f, g, h }, ga > fa, swapped);
  return { large: side * most, small: side * sign(f) * sign(h) * least, ...turned };
}

/** LAPACK's las2: the smaller singular value of `[[f, g], [0, h]]`. */
export function leastOfTwo(f: number, g: number, h: number): number {
  const [fa, ga, ha] = [Math.abs(f), Math.abs(g), Math.abs(h)];
  const [less, more] = [Math.min(fa, ha), Math.max(fa, ha)];
  if (less === 0) return 0;
  const [as, at] = [1 + less / more, (more - less) / more];
  if (ga < more) {
    const au = (ga / more) ** 2;
    return less * (2 / (Math.sqrt(as * as + au) + Math.sqrt(at * at + au)));
  }
  const au = more / ga;
  if (au === 0) return (less * more) / ga;
  return less * (1 / (Math.hypot(1, as * au) + Math.hypot(1, at * au))) * au * 2;
}

/** The sign of the larger value: that of the largest element, after its rotations. */
function signOf(
  { left, right }: Pick<TwoValues, "left" | "right">,
  { f, g, h }: { readonly f: number; readonly g: number; readonly h: number },
  offLargest: boolean,
  swapped: boolean,
): number {
  if (offLargest) return sign(right.s) * sign(left.c) * sign(g);
  return swapped ? sign(right.s) * sign(left.s) * sign(h) : sign(right.c) * sign(left.c) * sign(f);
}

function flipped({ c, s }: TwoValues["left"]): TwoValues["left"] {
  return { c: s, s: c };
}

/** Of zeros too. */
function sign(x: number): number {
  return x < 0 || Object.is(x, -0) ? -1 : 1;
}
