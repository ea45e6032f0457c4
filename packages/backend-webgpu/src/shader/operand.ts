import { isComplexDtype } from "@pt2/engine";
import type { DType } from "@pt2/format";
import { numel } from "@pt2/format";
import type { Adapter } from "../engine/adapter.ts";
import type { TensorView } from "../engine/tensor-view.ts";
import { computeType, loadExpr, storageOf } from "../wgsl/storage.ts";
import { type Dimension, dimensionsOf } from "./geometry.ts";
import type { Params } from "./params.ts";

/** The elements of a vector load or store. */
export const LANES = 4;

/**
 * Whether a tensor can be read as `vec4`s: numbers, dense from a multiple of four on, and a multiple of four of them.
 */
export function isVector(view: TensorView): boolean {
  if (isComplexDtype(view.dtype)) return false;
  const dims = dimensionsOf(view);
  const dense = dims.length === 0 || (dims.length === 1 && dims[0]!.stride === 1);
  const count = numel(view.shape);
  return dense && count % LANES === 0 && view.offset % LANES === 0;
}

/** Returns the WGSL type of the elements of a binding. */
export function elementType(dtype: DType, vector: boolean, { f16 }: Pick<Adapter, "f16">): string {
  const { type } = storageOf(dtype, { f16 });
  return vector ? `vec4<${type}>` : type;
}

/** Returns the WGSL of one element of a binding, by an index in elements. */
function element(name: string, index: string, vector: boolean): string {
  return vector ? `${name}_buf[(${index}) / 4u][(${index}) % 4u]` : `${name}_buf[${index}]`;
}

/** Declares `name(i)`: the i-th element in row-major order; with `vector` also `name4(i)`: elements 4i to 4i + 3. */
export function flatReader(name: string, view: TensorView, offset: number, vector: boolean, params: Params): string {
  const type = computeType(view.dtype);
  const dims = dimensionsOf(view);
  params.add(`${name}_offset`, "u32", offset);
  const load = (index: string): string => loadExpr(view.dtype, element(name, index, vector));
  const code = `fn ${name}(i: u32) -> ${type} { ${flatIndex(name, dims, params)} return ${load("at")}; }\n`;
  if (!vector) return code;
  const lanes = [0, 1, 2, 3].map((k) => loadExpr(view.dtype, `v[${k}]`));
  return `${code}fn ${name}4(i: u32) -> vec4<${type}> { let v = ${name}_buf[p.${name}_offset / 4u + i]; return vec4<${type}>(${lanes.join(", ")}); }\n`;
}

/** Returns WGSL that sets `at` to the offset of the i-th element in row-major order. */
export function flatIndex(name: string, dims: readonly Dimension[], params: Params): string {
  const [first, ...rest] = dims;
  if (first === undefined) return `let at = p.${name}_offset;`;
  if (rest.length === 0 && first.stride === 1) return `let at = p.${name}_offset + i;`;
  const steps: string[] = [`var r = i; var at = p.${name}_offset;`];
  // A leading dimension that repeats the tensor adds nothing, so there is nothing to divide for it.
  for (const [d, { size, stride }] of [...dims.entries()].reverse()) {
    const isFirst = d === 0;
    if (stride !== 0) {
      const index = isFirst ? "r" : `(r % p.${name}_n${d})`;
      if (stride !== 1) params.add(`${name}_s${d}`, "u32", stride);
      steps.push(`at += ${stride === 1 ? index : `${index} * p.${name}_s${d}`};`);
    }
    const outerMoves = dims.slice(0, d).some((outer) => outer.stride !== 0);
    if (stride !== 0 ? !isFirst : outerMoves) params.add(`${name}_n${d}`, "u32", size);
    if (outerMoves) steps.push(`r /= p.${name}_n${d};`);
  }
  return steps.join(" ");
}

/** Declares `name(c0, c1, …)`: an element by its coordinates. */
export function coordinateReader(
  name: string,
  view: TensorView,
  offset: number,
  vector: boolean,
  params: Params,
): string {
  params.add(`${name}_offset`, "u32", offset);
  const terms = view.strides.flatMap((stride, d) => {
    if (stride === 0 || view.shape[d] === 1) return [];
    if (stride === 1) return [`c${d}`];
    params.add(`${name}_s${d}`, "u32", stride);
    return [`c${d} * p.${name}_s${d}`];
  });
  const index = [`p.${name}_offset`, ...terms].join(" + ");
  const list = view.shape.map((_, d) => `c${d}: u32`).join(", ");
  const load = loadExpr(view.dtype, element(name, "at", vector));
  return `fn ${name}(${list}) -> ${computeType(view.dtype)} { let at = ${index}; return ${load}; }\n`;
}

/**
 * Declares `name_at(o)`: the element `o` elements after the tensor's first in memory. With `vector` also `name_at4(o)`:
 * that element and the three after it, where `o` and the tensor's offset are multiples of four.
 */
export function rawReader(name: string, view: TensorView, offset: number, vector: boolean, params: Params): string {
  params.add(`${name}_offset`, "u32", offset);
  const type = computeType(view.dtype);
  const load = loadExpr(view.dtype, element(name, `p.${name}_offset + o`, vector));
  const code = `fn ${name}_at(o: u32) -> ${type} { return ${load}; }\n`;
  if (!vector) return code;
  const lanes = [0, 1, 2, 3].map((k) => loadExpr(view.dtype, `v[${k}]`));
  return `${code}fn ${name}_at4(o: u32) -> vec4<${type}> { let v = ${name}_buf[(p.${name}_offset + o) / 4u]; return vec4<${type}>(${lanes.join(", ")}); }\n`;
}

/** Declares `name(i)`: the offset of the i-th element from the first one, for a tensor with these strides. */
export function offsetFunction(name: string, layout: Pick<TensorView, "shape" | "strides">, params: Params): string {
  params.add(`${name}_offset`, "u32", 0);
  return `fn ${name}(i: u32) -> u32 { ${flatIndex(name, dimensionsOf(layout), params)} return at; }\n`;
}
