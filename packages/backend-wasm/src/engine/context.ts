import { numel } from "@pt2/backend";
import { rowMajor, sameStrides } from "@pt2/engine/strides";
import { DTYPES, type DType } from "@pt2/format";
import type { TypedExpr } from "@pt2/registry/scalar";
import type { Kernels } from "../kernels.gen.ts";
import { castExpr } from "./expressions.ts";
import type { Heap } from "./heap.ts";
import type { PlanContext } from "./kernel.ts";
import type { Buffer, Place } from "./place.ts";
import type { Services } from "./services.ts";
import type { StepSink } from "./step-sink.ts";

/** The helpers that kernels plan with, over either sink. */
export class Context implements PlanContext {
  readonly services: Services;
  readonly sink: StepSink;

  constructor(services: Services, sink: StepSink) {
    this.services = services;
    this.sink = sink;
  }

  get heap(): Heap {
    return this.services.heap;
  }

  get exact(): boolean {
    return this.services.exact;
  }

  get kernels(): Kernels {
    return this.services.kernels;
  }

  step(run: () => void): void {
    this.sink.step(run);
  }

  scratch(bytes: number): Buffer {
    return this.sink.scratch(bytes);
  }

  temporary(dtype: DType, shape: readonly number[], strides: readonly number[] = rowMajor(shape)): Place {
    return { dtype, shape, strides, offset: 0, buffer: this.scratch(numel(shape) * DTYPES[dtype].itemsize) };
  }

  withStrides(place: Place, strides: readonly number[]): Place {
    if (sameStrides(place.shape, place.strides, strides)) return { ...place, strides };
    return this.#derived(place, `strides:${strides}`, place.dtype, strides, (ctx, from, to) => ctx.copy(from, to));
  }

  dense(place: Place): Place {
    return this.withStrides(place, rowMajor(place.shape));
  }

  convert(place: Place, dtype: DType): Place {
    if (place.dtype === dtype) return place;
    const expr = castExpr(place.dtype, dtype);
    const strides = rowMajor(place.shape);
    return this.#derived(place, `cast:${dtype}`, dtype, strides, (ctx, from, to) => ctx.elementwise(to, [from], expr));
  }

  copy(from: Place, to: Place): void {
    if (numel(from.shape) === 0) return;
    this.services.copy(this, from, to);
  }

  elementwise(out: Place, inputs: readonly Place[], expr: TypedExpr): void {
    if (numel(out.shape) === 0) return;
    this.services.elementwise(this, out, inputs, expr);
  }

  prepared(
    place: Place,
    key: string,
    bytes: number,
    fill: (ctx: PlanContext, from: Place, to: Buffer) => void,
    rework?: (ctx: PlanContext, at: Buffer) => void,
  ): Buffer {
    const source = place.buffer.constant;
    if (source === null) {
      const buffer = this.scratch(bytes);
      fill(this, place, buffer);
      return buffer;
    }
    const whole = numel(place.shape) * DTYPES[place.dtype].itemsize === bytes && source.bytes === bytes;
    const constant = this.services.constants.derive(
      `${key}|${placeKey(place)}`,
      bytes,
      [source],
      (ctx, to) => fill(ctx, place, to),
      whole ? rework : undefined,
    );
    this.sink.unreads(source);
    this.sink.reads(constant);
    return constant;
  }

  #derived(
    place: Place,
    key: string,
    dtype: DType,
    strides: readonly number[],
    fill: (ctx: PlanContext, from: Place, to: Place) => void,
  ): Place {
    const bytes = numel(place.shape) * DTYPES[dtype].itemsize;
    const target = (buffer: Buffer): Place => ({ dtype, shape: place.shape, strides, offset: 0, buffer });
    return target(this.prepared(place, key, bytes, (ctx, from, to) => fill(ctx, from, target(to))));
  }
}

/** Identifies a view of a constant. */
export function placeKey(place: Place): string {
  return `${place.buffer.constant?.id}:${place.dtype}[${place.shape}]/${place.strides}+${place.offset}`;
}
