import { backendError } from "@pt2/backend";
import { contiguousStrides, type DType, elementCount, isContiguous } from "@pt2/format";
import { castTo } from "@pt2/registry/scalar";
import { planElementwise } from "../shader/elementwise.ts";
import { type ResultPlace, Shader, type ShaderHost } from "../shader/shader.ts";
import type { ElementExpr } from "../wgsl/scalar.ts";
import { storageOf } from "../wgsl/storage.ts";
import type { Adapter } from "./adapter.ts";
import { inParts, isComplexDtype, partOf } from "./complex-parts.ts";
import type { Buffer } from "./constant.ts";
import type { PlanContext } from "./kernel.ts";
import type { Place } from "./place.ts";
import type { Services } from "./services.ts";
import type { HostStep, StepSink } from "./step-sink.ts";

/** The helpers that kernels plan with, into a plan or into the computation of a constant. */
export class Context implements PlanContext {
  readonly services: Services;
  readonly sink: StepSink;

  constructor(services: Services, sink: StepSink) {
    this.services = services;
    this.sink = sink;
  }

  get adapter(): Adapter {
    return this.services.device.adapter;
  }

  get exact(): boolean {
    return this.services.exact;
  }

  shader(name: string): Shader {
    return new Shader(name, this.#shaderHost());
  }

  #shaderHost(): ShaderHost {
    return {
      adapter: this.adapter,
      result: (index) => this.result(index),
      guard: (guard) => this.sink.guard(guard),
      add: (dispatch) => this.sink.add({ kind: "dispatch", dispatch }),
    };
  }

  scratch(bytes: number): Buffer {
    return this.sink.scratch(bytes);
  }

  temporary(dtype: DType, shape: readonly number[]): Place {
    return placeIn(this.scratch(bytesOf(dtype, shape, this.adapter)), dtype, shape);
  }

  constant(dtype: DType, shape: readonly number[], data: ArrayBufferView): Place {
    const constant = this.services.literal(dtype, shape, data);
    return placeIn(constant, dtype, shape);
  }

  dense(place: Place): Place {
    if (isContiguous(place)) return place;
    return this.prepared(place, "dense", place, (ctx, from, to) => ctx.copy(from, to));
  }

  convert(place: Place, dtype: DType): Place {
    if (place.dtype === dtype) return place;
    return this.prepared(place, "cast", { dtype, shape: place.shape }, (ctx, from, to) => ctx.copy(from, to));
  }

  copy(from: Place, to: Place): void {
    const [reads, writes] = [isComplexDtype(from.dtype), isComplexDtype(to.dtype)];
    // A real number has no imaginary part, and of a complex one the real part stays.
    if (writes && !reads) this.elementwise(partOf(to, 1), [], { kind: "const", dtype: "float32", value: 0 });
    const source = reads && !writes ? partOf(from, 0) : inParts(from);
    const target = writes && !reads ? partOf(to, 0) : inParts(to);
    this.elementwise(target, [source], castTo(target.dtype, { kind: "input", dtype: source.dtype, index: 0 }));
  }

  elementwise(out: Place, inputs: readonly Place[], expr: ElementExpr): void {
    if (elementCount(out.shape) > 0) planElementwise(this.#shaderHost(), out, inputs, expr);
  }

  host(step: HostStep): void {
    this.sink.add({ kind: "host", step });
  }

  random<T extends object>(make: () => T): T {
    const { state } = this.services;
    const known = state.get(make) ?? make();
    state.set(make, known);
    return known as T;
  }

  prepared(
    place: Place,
    key: string,
    { dtype, shape }: { readonly dtype: DType; readonly shape: readonly number[] },
    fill: (ctx: PlanContext, from: Place, to: Place) => void,
  ): Place {
    const source = place.buffer.constant;
    if (source === null) {
      const out = this.temporary(dtype, shape);
      fill(this, place, out);
      return out;
    }
    const bytes = bytesOf(dtype, shape, this.adapter);
    const constant = this.services.derive(`${key}|${placeKey(place)}|${dtype}[${shape}]`, bytes, key, (ctx, to) =>
      fill(ctx, place, placeIn(to, dtype, shape)),
    );
    return placeIn(constant, dtype, shape);
  }

  protected result(_index: number): ResultPlace {
    throw backendError("backend.internal", { what: "only a call has results" });
  }
}

/** Bytes of a tensor's elements on the GPU. */
export function bytesOf(dtype: DType, shape: readonly number[], adapter: Adapter): number {
  return elementCount(shape) * storageOf(dtype, adapter).bytes;
}

/** A row-major tensor at the start of a buffer. */
export function placeIn(buffer: Buffer, dtype: DType, shape: readonly number[]): Place {
  return { dtype, shape, strides: contiguousStrides(shape), offset: 0, buffer };
}

/** Identifies a view of a constant. */
export function placeKey(place: Place): string {
  return `${place.buffer.constant?.id}:${place.dtype}[${place.shape}]/${place.strides}+${place.offset}`;
}
