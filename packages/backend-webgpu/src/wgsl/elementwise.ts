import type { ElementExpr } from "@pt2/engine";
import type { DType } from "@pt2/format";
import { addressOf, coordinates, type Read, readOf } from "./elementwise-access.ts";
import {
  blockFields,
  byCoordinates,
  coalesce,
  type ElementwiseForm,
  elementwiseParams,
  formOf,
  type Geometry,
  invocationsOf,
  isVectorArray,
  type WalkMode,
} from "./elementwise-geometry.ts";
import { scalarFunction } from "./scalar.ts";
import { exactStoreExpr, loadExpr, type ShaderFeatures, type Storage, storageOf } from "./storage.ts";

/** A kernel that computes `out[i] = expr(inputs[i]…)`, and its form. The output has the expression's dtype. */
export interface ElementwiseKernel {
  readonly expr: ElementExpr;
  readonly inputs: readonly DType[];
  readonly form: ElementwiseForm;
}

/** One dispatch of a kernel. */
export interface ElementwiseDispatch {
  /** The WGSL, which is equal for all sizes that have the same form. */
  readonly code: string;
  /** The uniform block, a multiple of 16 bytes. */
  readonly params: Uint32Array<ArrayBuffer>;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

const WORKGROUP = 256;

/** The features and limits of the device that a dispatch depends on. */
export interface DispatchLimits extends ShaderFeatures {
  /** The most workgroups in one dimension; more take several rows of them. */
  readonly maxWorkgroups: number;
}

/**
 * Makes the dispatch that computes an expression over a geometry, whose last walk is the output's. Bindings are the
 * operands in order, the output, the uniform block. An empty geometry has no workgroups.
 */
export function elementwiseDispatch(
  expr: ElementExpr,
  inputs: readonly DType[],
  geometry: Geometry,
  limits: DispatchLimits,
): ElementwiseDispatch {
  const merged = coalesce(geometry);
  const form = formOf(merged);
  const groups = Math.ceil(invocationsOf(merged, form) / WORKGROUP);
  const rows = Math.ceil(groups / limits.maxWorkgroups);
  const x = rows === 0 ? 0 : Math.ceil(groups / rows);
  return {
    code: elementwiseShader({ expr, inputs, form }, limits),
    params: elementwiseParams(merged, form, x * WORKGROUP),
    workgroups: [x, rows, 1],
  };
}

/** Returns the WGSL of a kernel. */
function elementwiseShader({ expr, inputs, form }: ElementwiseKernel, features: ShaderFeatures): string {
  const { vector, ragged, transposed, modes } = form;
  const dtypes = [...inputs, expr.dtype];
  const output = inputs.length;
  const fields = blockFields(form);
  const field = (name: string): string => {
    const at = fields.indexOf(name);
    return `p[${at >> 2}].${"xyzw"[at & 3]}`;
  };
  const element = (k: number): string => {
    const { type } = storageOf(dtypes[k] as DType, features);
    if (vector === 1 || !isVectorArray(modes[k] as WalkMode)) return type;
    return isPair(type) ? "vec4<f32>" : `vec4<${type}>`;
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
  const store = storeOf(`b${output}`, addressOf(output, form, field), values, storageOf(expr.dtype, features).type);
  return [
    dtypes.some((dtype) => storageOf(dtype, features).type === "f16") ? "enable f16;\n" : "",
    ...bindings,
    `@group(0) @binding(${output + 1}) var<uniform> p: array<vec4<u32>, ${Math.ceil(fields.length / 4)}>;\n`,
    scalarFunction("compute", expr, inputs),
    ...reads.map(({ declaration }) => declaration),
    `@compute @workgroup_size(${WORKGROUP}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n`,
    `  let i = id.y * ${field("span")} + id.x;\n  if (i >= ${field("count")}) { return; }\n`,
    modes.some(byCoordinates) && !ragged ? coordinates(form, field) : "",
    ...reads.map(({ tile }) => tile),
    transposed === null ? "" : `  for (var r = 0u; r < 4u; r++) {\n  let c${transposed} = 4u * t${transposed} + r;\n`,
    ...reads.map(({ setup }) => setup),
    store,
    transposed === null ? "}\n" : "  }\n}\n",
  ].join("");
}

/** Returns WGSL that writes one value, or a vector of them; of complex numbers that is two vectors. */
function storeOf(buffer: string, address: string, values: readonly string[], type: Storage["type"]): string {
  const [a, b, c, d] = values;
  if (values.length === 1) return `  ${buffer}[${address}] = ${a};\n`;
  if (!isPair(type)) return `  ${buffer}[${address}] = vec4<${type}>(${values.join(", ")});\n`;
  return `  let to = 2u * (${address});\n  ${buffer}[to] = vec4<f32>(${a}, ${b});\n  ${buffer}[to + 1u] = vec4<f32>(${c}, ${d});\n`;
}

function isPair(type: Storage["type"]): boolean {
  return type === "vec2<f32>";
}
