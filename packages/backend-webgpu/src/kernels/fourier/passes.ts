import { viewOf } from "@pt2/engine";
import { numel } from "@pt2/format";
import type { KernelCall, PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { butterfly } from "./butterfly.ts";
import { isDirect, radicesOf } from "./factors.ts";

/** A transform along one dimension. */
export interface Transform {
  readonly dim: number;
  /** Its length, and how much of its result is kept. */
  readonly n: number;
  readonly kept: number;
  /** What is given: complex numbers, real ones, or the first half of a symmetric spectrum, whose transform is real. */
  readonly from: "complex" | "real" | "half";
  readonly forward: boolean;
}

/** A step of a transform (Stockham's): `radix` transforms of length `span` become one of length `span * radix`. */
interface Pass extends Transform {
  readonly radix: number;
  readonly span: number;
  readonly last: boolean;
}

/** Plans transforms one after the other, `scale` times their result as result 0 of the call. */
export function planTransforms(
  call: KernelCall,
  self: TensorView,
  transforms: readonly Transform[],
  scale: number,
): void {
  const passes = transforms.flatMap(passesOf);
  if (passes.length === 0) call.copy(self, call.output());
  const whole = numel(passes.reduce((shape, { dim, n }) => shape.with(dim, n), self.shape));
  // Each pass reads what the one before has written, so two buffers are enough.
  const buffers = passes.slice(1, 3).map(() => call.scratch(8 * whole));
  const tables = new Map<number, TensorView>();
  let from = self;
  for (const [i, pass] of passes.entries()) {
    const shape = from.shape.with(pass.dim, pass.last ? pass.kept : pass.n);
    const isLast = i === passes.length - 1;
    const to = isLast ? null : viewOf(buffers[i % 2]!, { dtype: "complex64", shape });
    const table = tables.get(pass.n) ?? roots(call, pass.n);
    tables.set(pass.n, table);
    planPass(call, pass, { from, to, table, shape, scale: isLast ? scale : 1 });
    from = to ?? from;
  }
}

interface PassPlaces {
  readonly from: TensorView;
  /** Null for the result of the call. */
  readonly to: TensorView | null;
  readonly table: TensorView;
  readonly shape: readonly number[];
  readonly scale: number;
}

function planPass(ctx: PlanContext, pass: Pass, { from, to, table, shape, scale }: PassPlaces): void {
  const { dim, n, radix, span, last } = pass;
  const given = span === 1 ? pass.from : "complex";
  const direct = isDirect(radix);
  const shader = ctx
    .shader(`fourier ${given} by ${direct ? "a prime" : radix}`)
    .read("x", from)
    .read("root", table);
  if (to === null) shader.result("out");
  else shader.write("out", to);
  const inner = numel(shape.slice(dim + 1));
  shader
    .u32("n", n)
    .u32("given", from.shape[dim]!)
    .u32("kept", shape[dim]!)
    .u32("inner", inner)
    .u32("radix", radix)
    .u32("before", span)
    .u32("after", span * radix)
    .u32("apart", n / radix)
    .u32("roots", n / (span * radix))
    .f32("scale", scale);
  const value = last && pass.from === "half" ? ".x" : "";
  const count = direct ? shape[dim]! : n / radix;
  const body = direct ? directBody(pass, value) : butterflyBody(pass, value);
  shader.forEach(numel(shape.slice(0, dim)) * count * inner, body, { declarations: ELEMENT[given] });
}

/** An invocation computes `radix` elements, of as many that the pass before made, each times a root of unity. */
function butterflyBody({ radix, span, forward, last, kept, n }: Pass, value: string): string {
  const loads = Array.from({ length: radix }, (_, q) => {
    const load = `element(base * p.given, j + ${q}u * p.apart, inner)`;
    const root = `root(${q}u * turn * p.roots)${forward ? "" : " * vec2<f32>(1f, -1f)"}`;
    return `  let v${q} = ${span === 1 || q === 0 ? load : `mul_complex(${load}, ${root})`};\n`;
  });
  const { code, results } = butterfly(
    loads.map((_, q) => `v${q}`),
    forward ? -1 : 1,
  );
  const stores = results.map((result, q) => {
    const store = `set_out((base * p.kept + k + ${q}u * p.before) * p.inner + inner, ${result}${value} * p.scale);`;
    return last && kept < n ? `  if (k + ${q}u * p.before < p.kept) { ${store} }\n` : `  ${store}\n`;
  });
  return `let inner = i % p.inner;
  let j = i / p.inner % p.apart;
  let base = i / p.inner / p.apart;
  let turn = j % p.before;
  let k = j / p.before * p.after + turn;
${loads.join("")}${code}${stores.join("")}`;
}

/** An invocation computes one element, of `radix`, whose sum is made of parts: that keeps rounding errors small. */
function directBody({ forward }: Pass, value: string): string {
  return `let inner = i % p.inner;
  let k = i / p.inner % p.kept;
  let base = i / p.inner / p.kept * p.given;
  let turn = k % p.after;
  var position = k / p.after * p.before + turn % p.before;
  var at = 0u;
  var sum = vec2<f32>();
  var part = vec2<f32>();
  for (var q = 0u; q < p.radix; q++) {
    part += mul_complex(element(base, position, inner), root(at * p.roots)${forward ? "" : " * vec2<f32>(1f, -1f)"});
    position += p.apart;
    at += turn;
    at -= select(0u, p.after, at >= p.after);
    if (q % 32u == 31u) { sum += part; part = vec2<f32>(); }
  }
  set_out(i, (sum + part)${value} * p.scale);`;
}

const signature = "fn element(base: u32, at: u32, inner: u32) -> vec2<f32>";

const ELEMENT: Readonly<Record<Transform["from"], string>> = {
  complex: `${signature} { return x((base + at) * p.inner + inner); }\n`,
  real: `${signature} { return vec2<f32>(x((base + at) * p.inner + inner), 0f); }\n`,
  // X[n - k] is the conjugate of X[k]; X[0] and X[n / 2] are real.
  half: `${signature} {
  let k = min(at, p.n - at);
  if (k >= p.given) { return vec2<f32>(); }
  let value = x((base + k) * p.inner + inner);
  return vec2<f32>(value.x, select(select(value.y, -value.y, at != k), 0f, k == 0u || 2u * k == p.n));
}
`,
};

function passesOf(transform: Transform): readonly Pass[] {
  const radices = radicesOf(transform.n);
  return radices.map((radix, i) => {
    const span = radices.slice(0, i).reduce((product, r) => product * r, 1);
    return { ...transform, radix, span, last: i === radices.length - 1 };
  });
}

/** The n-th roots of one, clockwise. */
function roots(ctx: PlanContext, n: number): TensorView {
  const parts = new Float32Array(2 * n);
  for (let k = 0; k < n; k++) {
    const angle = (-2 * Math.PI * k) / n;
    parts[2 * k] = Math.cos(angle);
    parts[2 * k + 1] = Math.sin(angle);
  }
  return ctx.constant("complex64", [n], parts);
}
