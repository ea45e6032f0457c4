import type { BackendErrorCode } from "@pt2/backend";
import type { RegistryErrorCode } from "@pt2/registry";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { Adapter } from "../engine/adapter.ts";
import type { Buffer, TensorView } from "../engine/tensor-view.ts";
import { webgpuError } from "../webgpu-errors.ts";
import { scalarFunction } from "../wgsl/scalar.ts";
import { computeType, fitExpr, storeExpr } from "../wgsl/storage.ts";
import { bindingOf } from "./binding.ts";
import type { Binding, Dispatch } from "./dispatch.ts";
import { broadcast, dimensionsOf } from "./geometry.ts";
import {
  coordinateReader,
  elementType,
  flatIndex,
  flatReader,
  isVector,
  offsetFunction,
  rawReader,
} from "./operand.ts";
import { Params } from "./params.ts";

/** Elementwise ops that are computed where a kernel's result is written. */
export interface Epilogue {
  readonly expr: TypedExpr;
  /** Operands by the index that `expr` uses; null stands for the kernel's value. */
  readonly inputs: readonly (TensorView | null)[];
}

/** The target of a result. */
export interface ShaderResult {
  readonly view: TensorView;
  /** The dtype of what the kernel computes, before the epilogue. */
  readonly dtype: TensorView["dtype"];
  readonly epilogue: Epilogue | null;
}

/** What a shader is planned in. */
export interface ShaderHost {
  readonly adapter: Adapter;
  /** Makes result `index` of the call. */
  result(index: number): ShaderResult;
  /** Reserves two words that are checked when a run is done. */
  guard(guard: Guard): { readonly buffer: Buffer; readonly slot: number };
  add(dispatch: Dispatch): void;
}

/** An error that a shader reports with `fail(value)`. */
export interface Guard {
  readonly code: BackendErrorCode | RegistryErrorCode;
  /** Returns the message, given the value. */
  readonly what: (value: number) => string;
}

/** An operand of an epilogue: the name of its reader, and whether it reads vectors too. */
interface FusedOperand {
  readonly name: string;
  readonly wide: boolean;
}

export interface AccessOptions {
  /** Whether it is bound as `vec4`s, which is valid only where {@link isVector} holds. */
  readonly vector?: boolean;
}

/**
 * Builds the WGSL of one dispatch. Operands become functions that know dtype, strides and offset, so a kernel's text
 * says only what it computes:
 *
 * - `read(x)`: `x(i)` is the i-th element in row-major order, whatever the strides; with `vector` also `x4(i)`.
 * - `at(x)`: `x(c0, c1, …)` is the element at these coordinates.
 * - `raw(x)`: `x_at(o)` is the element `o` after the first, and `offsets(name, layout)` computes such distances.
 * - `write(y)` and `result(y)`: `set_y(i, value)` stores the i-th element; with `vector` there is only
 *   `set_y4(i, vec4)`, since storing a part of a vector may store the rest of it too.
 * - `u32`, `i32`, `f32`: numbers that may differ without a new pipeline, read as `p.name`.
 *
 * Each binding is `name_buf` for what these cannot express, with `p.name_offset` as its first element. Values are in
 * the compute type: f32 for every float, i32 for integers, bool for bool.
 */
export class Shader {
  readonly name: string;
  readonly adapter: Adapter;
  readonly #host: ShaderHost;
  readonly #params = new Params();
  readonly #reads: { readonly binding: Binding; readonly declaration: string }[] = [];
  readonly #writes: { readonly binding: Binding; readonly declaration: string }[] = [];
  readonly #functions: string[] = [];
  readonly #enables = new Set<string>();

  constructor(name: string, host: ShaderHost) {
    this.name = name;
    this.adapter = host.adapter;
    this.#host = host;
  }

  read(name: string, view: TensorView, { vector = false }: AccessOptions = {}): this {
    const offset = this.#bindRead(name, view, vector);
    this.#functions.push(flatReader(name, view, offset, vector, this.#params));
    return this;
  }

  at(name: string, view: TensorView, { vector = false }: AccessOptions = {}): this {
    const offset = this.#bindRead(name, view, vector);
    this.#functions.push(coordinateReader(name, view, offset, vector, this.#params));
    return this;
  }

  /**
   * Declares access for kernels that compute where they read: `x_at(o)` is the element `o` elements after the first;
   * with `vector` also `x_at4(o)`, that one and the next three.
   */
  raw(name: string, view: TensorView, { vector = false }: AccessOptions = {}): this {
    const offset = this.#bindRead(name, view, vector);
    this.#functions.push(rawReader(name, view, offset, vector, this.#params));
    return this;
  }

  /** Declares `name(i)`: the offset of the i-th element from the first, for a tensor with these strides. */
  offsets(name: string, layout: Pick<TensorView, "shape" | "strides">): this {
    this.#functions.push(offsetFunction(name, layout, this.#params));
    return this;
  }

  /** Declares result `index` of the call, with its epilogue. Returns the view that it is written to. */
  result(name: string, index = 0, { vector = false }: AccessOptions = {}): TensorView {
    const { view, dtype, epilogue } = this.#host.result(index);
    if (epilogue === null) {
      this.write(name, view, { vector });
      return view;
    }
    const type = computeType(dtype);
    this.write(`${name}_fused`, view, { vector });
    const operands = epilogue.inputs.map((input, k) =>
      input === null ? null : this.#fusedOperand(`${name}_e${k}`, broadcast(input, view.shape), vector),
    );
    const dtypes = epilogue.inputs.map((input) => input?.dtype ?? dtype);
    // The value is what the call gives in PyTorch: rounded to its dtype.
    const call = (of: (operand: FusedOperand) => string, v: string): string =>
      `${name}_expr(${operands.map((operand) => (operand === null ? fitExpr(dtype, v) : of(operand))).join(", ")})`;
    this.#functions.push(scalarFunction(`${name}_expr`, epilogue.expr, dtypes));
    if (!vector) {
      const one = call((operand) => `${operand.name}(i)`, "v");
      this.#functions.push(`fn set_${name}(i: u32, v: ${type}) { set_${name}_fused(i, ${one}); }\n`);
    } else {
      const wide = operands.filter((operand) => operand?.wide === true);
      const loads = wide.map((operand) => `let ${operand!.name}_v = ${operand!.name}4(i);`);
      const lanes = [0, 1, 2, 3].map((k) =>
        call((operand) => (operand.wide ? `${operand.name}_v[${k}]` : `${operand.name}(4u * i + ${k}u)`), `v[${k}]`),
      );
      const value = `vec4<${computeType(view.dtype)}>(${lanes.join(", ")})`;
      this.#functions.push(
        `fn set_${name}4(i: u32, v: vec4<${type}>) { ${loads.join(" ")} set_${name}_fused4(i, ${value}); }\n`,
      );
    }
    return view;
  }

  /**
   * Declares memory that the shader writes, every element at most once. `vector` is valid only where {@link isVector}
   * holds.
   */
  write(name: string, view: TensorView, { vector = false }: AccessOptions = {}): this {
    const { dtype } = view;
    const storage = elementType(dtype, vector, this.adapter);
    this.#params.add(`${name}_offset`, "u32", this.#bindWrite(name, view, storage));
    const type = computeType(dtype);
    if (!vector) {
      const position = flatIndex(name, dimensionsOf(view), this.#params);
      const value = this.#store(dtype, "v");
      this.#functions.push(`fn set_${name}(i: u32, v: ${type}) { ${position} ${name}_buf[at] = ${value}; }\n`);
    } else {
      const lanes = [0, 1, 2, 3].map((k) => this.#store(dtype, `v[${k}]`));
      this.#functions.push(
        `fn set_${name}4(i: u32, v: vec4<${type}>) { ${name}_buf[p.${name}_offset / 4u + i] = ${storage}(${lanes.join(", ")}); }\n`,
      );
    }
    return this;
  }

  /** Declares memory of 4-byte elements that invocations update together: `name_buf: array<atomic<u32>>`. */
  atomic(name: string, view: TensorView): this {
    this.#params.add(`${name}_offset`, "u32", this.#bindWrite(name, view, "atomic<u32>"));
    return this;
  }

  u32(name: string, value: number): this {
    this.#params.add(name, "u32", value);
    return this;
  }

  i32(name: string, value: number): this {
    this.#params.add(name, "i32", value);
    return this;
  }

  f32(name: string, value: number): this {
    this.#params.add(name, "f32", value);
    return this;
  }

  /**
   * Declares `fail(value)`, after which the run ends with this error, whose message contains `value`. It is for data
   * that an op must refuse, such as an index outside its tensor.
   */
  guard(guard: Guard): this {
    const { buffer, slot } = this.#host.guard(guard);
    this.#writes.push({ binding: { buffer }, declaration: "var<storage, read_write> guard_buf: array<atomic<i32>>;" });
    this.#params.add("guard", "u32", slot);
    this.#functions.push(
      "fn fail(value: i32) { if (atomicExchange(&guard_buf[2u * p.guard], 1i) == 0i) { atomicStore(&guard_buf[2u * p.guard + 1u], value); } }\n",
    );
    return this;
  }

  /** Declares a function of scalars from an expression. */
  function(name: string, expr: TypedExpr, inputs: readonly TensorView["dtype"][]): this {
    this.#functions.push(scalarFunction(name, expr, inputs));
    return this;
  }

  enable(extension: "subgroups"): this {
    this.#enables.add(extension);
    return this;
  }

  /**
   * Adds a dispatch that runs `body` once for each `i: u32` below `count`. `declarations` are functions that it calls.
   */
  forEach(
    count: number,
    body: string,
    { declarations = "", workgroupSize = 64 }: { readonly declarations?: string; readonly workgroupSize?: number } = {},
  ): void {
    if (count === 0) return;
    const groups = Math.ceil(count / workgroupSize);
    const x = Math.min(groups, this.adapter.limits.maxComputeWorkgroupsPerDimension);
    this.u32("count", count);
    const wgsl = `${declarations}@compute @workgroup_size(${workgroupSize})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * ${workgroupSize}u + id.x;
  if (i >= p.count) { return; }
  ${body}
}`;
    this.dispatch([x, Math.ceil(groups / x), 1], wgsl);
  }

  /**
   * Adds a dispatch that runs `body` in a workgroup for each `group: u32` below `count`; `lane: u32` is the invocation
   * within it. With `subgroups` a workgroup is one subgroup, `lane` the invocation within that, and subgroup functions
   * are enabled.
   */
  forEachGroup(
    count: number,
    body: string,
    options: { readonly workgroupSize: number; readonly declarations?: string; readonly subgroups?: boolean },
  ): void {
    if (count === 0) return;
    const { workgroupSize, declarations = "", subgroups = false } = options;
    const rows = Math.ceil(count / this.adapter.limits.maxComputeWorkgroupsPerDimension);
    this.u32("count", count);
    if (subgroups) this.enable("subgroups");
    const wgsl = `${declarations}@compute @workgroup_size(${workgroupSize})
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(${subgroups ? "subgroup_invocation_id" : "local_invocation_index"}) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  ${body}
}`;
    this.dispatch([Math.ceil(count / rows), rows, 1], wgsl);
  }

  /** Adds the dispatch. `wgsl` has the entry point `main` and what it needs. */
  dispatch(workgroups: readonly [number, number, number], wgsl: string): void {
    const { limits } = this.adapter;
    if (workgroups.some((n) => n > limits.maxComputeWorkgroupsPerDimension)) {
      throw webgpuError("webgpu.too-large", {
        what: `${this.name} needs ${workgroups.join(" × ")} workgroups; the device allows ${limits.maxComputeWorkgroupsPerDimension} in each dimension`,
        advice: "Split the input, or use a backend without this limit.",
      });
    }
    const storage = [...this.#reads, ...this.#writes];
    const code = [
      ...[...this.#enables].map((extension) => `enable ${extension};\n`),
      ...(storage.some(({ declaration }) => declaration.includes("f16")) ? ["enable f16;\n"] : []),
      ...storage.map(({ declaration }, i) => `@group(0) @binding(${i}) ${declaration}\n`),
      this.#params.declaration(storage.length),
      ...this.#functions,
      wgsl,
    ].join("");
    const [reads, writes] = [this.#reads, this.#writes].map((list) => list.map(({ binding }) => binding));
    this.#host.add({ name: this.name, code, reads: reads!, writes: writes!, params: this.#params.bytes(), workgroups });
  }

  #fusedOperand(name: string, view: TensorView, vector: boolean): FusedOperand {
    const wide = vector && isVector(view);
    this.read(name, view, { vector: wide });
    return { name, wide };
  }

  #bindRead(name: string, view: TensorView, vector: boolean): number {
    const { binding, offset } = bindingOf(view, this.adapter, this.name);
    const declaration = `var<storage, read> ${name}_buf: array<${elementType(view.dtype, vector, this.adapter)}>;`;
    this.#reads.push({ binding, declaration });
    return offset;
  }

  #bindWrite(name: string, view: TensorView, type: string): number {
    const { binding, offset } = bindingOf(view, this.adapter, this.name);
    this.#writes.push({ binding, declaration: `var<storage, read_write> ${name}_buf: array<${type}>;` });
    return offset;
  }

  #store(dtype: TensorView["dtype"], value: string): string {
    return storeExpr(dtype, value, { f16: this.adapter.f16 });
  }
}
