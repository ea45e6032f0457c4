import type { Adapter } from "../../engine/adapter.ts";
import type { Packing } from "./pack-weight.ts";

/**
 * Outputs that one invocation keeps in registers: `pixels` neighbors (a multiple of four) of `outputs` channels (another
 * one). Each step multiplies `taps` elements of the kernel, read from a weight packed as {@link packingOf} says.
 */
export interface RegisterTile {
  readonly outputs: number;
  readonly pixels: number;
  readonly taps: number;
  readonly type: string;
  /**
   * Invocations that read different parts of the weight and hand them to each other, 0 for none. What all invocations
   * read alike costs a CPU as much as what they read apart.
   */
  readonly shared: number;
}

/** The size of a workgroup: on a CPU what one core computes at once, so that small maps fill it. */
export function workgroupSize({ software }: Adapter): number {
  return software ? 8 : 64;
}

/** Invocations that can share what they read. */
export function sharingLanes({ software, subgroupSize }: Adapter): number {
  return software && workgroupSize({ software } as Adapter) % subgroupSize === 0 ? subgroupSize : 0;
}

function range<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The packed weight that a tile reads. */
export function packingOf({ outputs, taps, shared }: RegisterTile): Packing {
  const vectors = (outputs * taps) / 4;
  return { outputs, taps, step: 4 * (shared === 0 ? vectors : Math.ceil(vectors / shared) * shared) };
}

/** Declares the accumulators, and `at`, the first weight of block `block`. */
export function begin(tile: RegisterTile, block: string): string {
  const { outputs, pixels, type, shared } = tile;
  const sums = range(outputs, (o) => range(pixels / 4, (q) => `var a${o}_${q} = vec4<${type}>();`).join(" "));
  return `var at = ${block} * p.steps * ${packingOf(tile).step / 4}u${shared === 0 ? "" : " + lane"};
  ${sums.join("\n  ")}`;
}

/** One step: `tap(t, q)` is WGSL of four neighboring inputs under the t-th tap. */
export function multiply(tile: RegisterTile, tap: (tap: number, quad: number) => string): string {
  const { outputs, pixels, taps, type, shared } = tile;
  const perTap = outputs / 4;
  const { step } = packingOf(tile);
  const loads = range(shared === 0 ? perTap * taps : step / 4 / shared, (i) => {
    return `let b${i} = w4(at${i === 0 ? "" : ` + ${i * Math.max(shared, 1)}u`});`;
  });
  const factor = (i: number): string =>
    shared === 0 ? `b${i}` : `subgroupBroadcast(b${Math.floor(i / shared)}, ${i % shared}u)`;
  const multiplyAdd = (sum: string, f: string, x: string): string =>
    type === "f32" ? `${sum} = fma(vec4(${f}), ${x}, ${sum});` : `${sum} += ${f} * ${x};`;
  const products = range(taps, (t) => {
    const inputs = range(pixels / 4, (q) => `let x${q} = ${tap(t, q)};`).join(" ");
    const rows = range(perTap, (v) => {
      const sums = range(4, (k) =>
        range(pixels / 4, (q) => multiplyAdd(`a${4 * v + k}_${q}`, `f${v}[${k}]`, `x${q}`)).join(" "),
      );
      return `let f${v} = ${factor(t * perTap + v)}; ${sums.join(" ")}`;
    });
    return `{ ${inputs}\n      ${rows.join("\n      ")} }`;
  });
  return `${loads.join(" ")}\n      ${products.join("\n      ")}\n      at += ${step / 4}u;`;
}

/**
 * Stores the tile: `put` is WGSL that stores `r0`, `r1`, … of the output channel `channel`; the block begins at channel
 * `first` of `p.rows` in group `group`. A loop, because the text of every store costs time to compile.
 */
export function finish(tile: RegisterTile, bias: boolean, put: string): string {
  const { outputs, pixels, type } = tile;
  const quads = range(pixels / 4, (q) => q);
  const cases = range(outputs, (o) => {
    const label = o === outputs - 1 ? "default" : `case ${o}u`;
    return `${label}: { ${quads.map((q) => `r${q} = a${o}_${q};`).join(" ")} }`;
  });
  return `for (var o = 0u; o < min(p.outputs, p.rows - first); o++) {
    ${quads.map((q) => `var r${q}: vec4<${type}>;`).join(" ")}
    switch o { ${cases.join(" ")} }
    let channel = group * p.rows + first + o;
    ${bias ? quads.map((q) => `r${q} += bias(channel);`).join(" ") : ""}
    ${put}
  }`;
}
