import { f32Literal } from "../../wgsl/literal.ts";
import { primeFactors } from "./factors.ts";

/** A transform in registers: WGSL that computes it, and the names of its results. */
export interface Butterfly {
  readonly code: string;
  readonly results: readonly string[];
}

/** The transform of some complex numbers, whose names are given; `sign` is that of the exponent. */
export function butterfly(names: readonly string[], sign: 1 | -1): Butterfly {
  const lines: string[] = [];
  const keep = (value: string): string => {
    if (/^\w+$/.test(value)) return value;
    lines.push(`  let b${lines.length} = ${value};\n`);
    return `b${lines.length - 1}`;
  };
  const transform = (x: readonly string[]): readonly string[] => {
    const n = x.length;
    if (n === 1) return x;
    const [p] = primeFactors(n) as readonly [number];
    const m = n / p;
    const parts = range(p).map((r) =>
      transform(x.filter((_, i) => i % p === r)).map((value, k) => keep(rotated(value, r * k, n, sign))),
    );
    return range(n).map((k) =>
      keep(parts.map((part, r) => rotated(part[k % m]!, r * Math.floor(k / m), p, sign)).join(" + ")),
    );
  };
  const results = transform(names);
  return { code: lines.join(""), results };
}

/** WGSL of a number times the n-th root of one to some power. */
function rotated(x: string, power: number, n: number, sign: 1 | -1): string {
  const quarters = (4 * (power % n)) / n;
  const angle = (sign * Math.PI * quarters) / 2;
  if (quarters === 0) return x;
  if (quarters === 2) return `(-${x})`;
  if (quarters % 2 === 1) return Math.sin(angle) > 0 ? `vec2<f32>(-${x}.y, ${x}.x)` : `vec2<f32>(${x}.y, -${x}.x)`;
  return `mul_complex(${x}, vec2<f32>(${f32Literal(Math.cos(angle))}, ${f32Literal(Math.sin(angle))}))`;
}

function range(n: number): readonly number[] {
  return Array.from({ length: n }, (_, i) => i);
}
