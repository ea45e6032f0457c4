import type { DType } from "@pt2/format";
import type { TypedExpr } from "@pt2/registry/scalar";
import {
  blockFields,
  byCoordinates,
  coalesce,
  type ElementwiseForm,
  elementwiseParams,
  formOf,
  type Geometry,
  isVectorArray,
  stridesOf,
  type WalkMode,
} from "./elementwise-geometry.ts";
import { prelude, scalarFunction } from "./scalar.ts";
import { exactStoreExpr, loadExpr, type ShaderFeatures, storageOf } from "./storage.ts";

/** `out[i] = expr(inputs[i]…)`: what is computed, and in which form. The output has the expression's dtype. */
export interface ElementwiseKernel {
  readonly expr: TypedExpr;
  readonly inputs: readonly DType[];
  readonly form: ElementwiseForm;
}

/** One dispatch of a kernel. */
export interface ElementwiseDispatch {
  /** Equal for all sizes that have the same form. */
  readonly code: string;
  /** The uniform block, a multiple of 16 bytes. */
  readonly params: Uint32Array<ArrayBuffer>;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

const WORKGROUP = 256;

/** What a dispatch depends on in the device. */
export interface DispatchLimits extends ShaderFeatures {
  /** Workgroups in one dimension; what needs more takes several rows of them. */
  readonly maxWorkgroups: number;
}

/**
 * The dispatch that computes an expression over a geometry, whose last walk is the output's. Bindings are the operands
 * in order, the output, the uniform block. An empty geometry has no workgroups.
 */
export function elementwiseDispatch(
  expr: TypedExpr,
  inputs: readonly DType[],
  geometry: Geometry,
  limits: DispatchLimits,
): ElementwiseDispatch {
  const merged = coalesce(geometry);
  const form = formOf(merged);
  const groups = Math.ceil(merged.shape.reduce((a, b) => a * b, 1) / form.vector / WORKGROUP);
  const rows = Math.ceil(groups / limits.maxWorkgroups);
  const x = rows === 0 ? 0 : Math.ceil(groups / rows);
  return {
    code: elementwiseShader({ expr, inputs, form }, limits),
    params: elementwiseParams(merged, form, x * WORKGROUP),
    workgroups: [x, rows, 1],
  };
}

/** The WGSL of a kernel. */
export function elementwiseShader({ expr, inputs, form }: ElementwiseKernel, features: ShaderFeatures): string {
  const { vector, ragged, modes, rank } = form;
  const dtypes = [...inputs, expr.dtype];
  const output = inputs.length;
  const fields = blockFields(form);
  const field = (name: string): string => {
    const at = fields.indexOf(name);
    return `p[${at >> 2}].${"xyzw"[at & 3]}`;
  };
  const element = (k: number): string => {
    const { type } = storageOf(dtypes[k] as DType, features);
    return vector === 4 && isVectorArray(modes[k] as WalkMode) ? `vec4<${type}>` : type;
  };
  const bindings = dtypes.map(
    (_, k) =>
      `@group(0) @binding(${k}) var<storage, ${k === output ? "read_write" : "read"}> b${k}: array<${element(k)}>;\n`,
  );
  const lanes = Array.from({ length: vector }, (_, lane) => lane);
  const reads = inputs.map((_, k) => readOf(k, form, field));
  const values = lanes.map((lane) => {
    const operands = inputs.map((dtype, k) => loadExpr(dtype, (reads[k] as Read).lane(lane)));
    return exactStoreExpr(expr.dtype, `compute(${operands.join(", ")})`, features);
  });
  const { code, helpers } = scalarFunction("compute", expr, inputs);
  const target = `b${output}[${addressOf(output, form, field)}]`;
  return [
    dtypes.some((dtype) => storageOf(dtype, features).type === "f16") ? "enable f16;\n" : "",
    ...bindings,
    `@group(0) @binding(${output + 1}) var<uniform> p: array<vec4<u32>, ${Math.ceil(fields.length / 4)}>;\n`,
    prelude(helpers),
    code,
    ...reads.map(({ declaration }) => declaration),
    `@compute @workgroup_size(${WORKGROUP}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n`,
    `  let i = id.y * ${field("span")} + id.x;\n  if (i >= ${field("count")}) { return; }\n`,
    modes.some(byCoordinates) && !ragged ? coordinates(rank, field) : "",
    ...reads.map(({ setup }) => setup),
    `  ${target} = ${vector === 4 ? `${element(output)}(${values.join(", ")})` : values[0]};\n}\n`,
  ].join("");
}

/** The element's coordinates as `c0`, `c1` and so on, the last in vectors. */
function coordinates(rank: number, field: (name: string) => string): string {
  const lines: string[] = [];
  let rest = "i";
  for (let d = rank - 1; d > 0; d--) {
    lines.push(
      `  let r${d} = ${rest} / ${field(`size${d}`)};\n  let c${d} = ${rest} - r${d} * ${field(`size${d}`)};\n`,
    );
    rest = `r${d}`;
  }
  return `${lines.join("")}  let c0 = ${rest};\n`;
}

/** Where an element is, or the first of the invocation's, in units of the binding's elements. */
function addressOf(k: number, form: ElementwiseForm, field: (name: string) => string): string {
  const { rank, vector, ragged } = form;
  const mode = form.modes[k] as WalkMode;
  const inner = rank - 1;
  const steps = stridesOf(mode, rank).map((d) => {
    const coordinate = d === inner && vector === 4 && !ragged ? `4u * c${d}` : `c${d}`;
    return `${coordinate} * ${field(`stride${k}_${d}`)}`;
  });
  const own = mode === "dense" ? ["i"] : mode === "row" ? [`c${inner}`] : [];
  return [field(`offset${k}`), ...steps, ...own].join(" + ");
}

interface Read {
  /** What stands outside of the entry point, and in it. */
  readonly declaration: string;
  readonly setup: string;
  lane(index: number): string;
}

function readOf(k: number, form: ElementwiseForm, field: (name: string) => string): Read {
  const mode = form.modes[k] as WalkMode;
  const address = addressOf(k, form, field);
  if (mode === "strided" && form.ragged) {
    const body = `${coordinates(form.rank, field)}  return ${address};\n`;
    const declaration = `fn a${k}(i: u32) -> u32 {\n${body}}\n`;
    return { declaration, setup: "", lane: (lane) => `b${k}[a${k}(4u * i + ${lane}u)]` };
  }
  if (mode === "strided" && form.vector === 4) {
    const step = field(`stride${k}_${form.rank - 1}`);
    const setup = `  let a${k} = ${address};\n`;
    return { declaration: "", setup, lane: (lane) => `b${k}[a${k} + ${lane}u * ${step}]` };
  }
  const wide = form.vector === 4 && isVectorArray(mode);
  const setup = `  let e${k} = b${k}[${address}];\n`;
  return { declaration: "", setup, lane: (lane) => (wide ? `e${k}[${lane}]` : `e${k}`) };
}
