import { backendError, numel } from "@pt2/backend";
import type { Clamp } from "@pt2/engine";
import { rowMajor } from "@pt2/engine/strides";
import { DTYPES, type DType } from "@pt2/format";
import { type ArgValue, type Call, isTensor, type LoweredTensor, type TensorMeta } from "@pt2/registry";
import { Context } from "./context.ts";
import type { KernelCall } from "./kernel.ts";
import type { Buffer, Place } from "./place.ts";
import { scalarConstant } from "./scalar-constant.ts";
import type { Services } from "./services.ts";
import type { StepSink } from "./step-sink.ts";

/** Where a plan keeps its tensors. */
export interface TensorTable {
  get(tensor: LoweredTensor): Place;
  set(tensor: LoweredTensor, place: Place): void;
  /** Memory for a result of the current call. */
  allocate(bytes: number): Buffer;
}

/** Bounds that leave every float as it is. */
export const NO_CLAMP: Clamp = { lo: Number.NEGATIVE_INFINITY, hi: Number.POSITIVE_INFINITY };

/** A kernel's view of one call. */
export class CallContext extends Context implements KernelCall {
  readonly call: Call;
  readonly clamp: Clamp;
  readonly #table: TensorTable;

  constructor(services: Services, sink: StepSink, table: TensorTable, call: Call, clamp: Clamp = NO_CLAMP) {
    super(services, sink);
    this.call = call;
    this.clamp = clamp;
    this.#table = table;
  }

  arg<T = ArgValue>(name: string): T {
    return this.call.args[name] as T;
  }

  optional(name: string): Place | null {
    const value = this.call.args[name];
    return value === null || value === undefined ? null : this.#place(value);
  }

  tensor(name: string): Place {
    return this.#place(this.call.args[name]!);
  }

  tensors(name: string): readonly Place[] {
    return (this.call.args[name] as readonly ArgValue[]).map((value) => this.#place(value));
  }

  tensorList(name: string): readonly (Place | null)[] {
    return (this.call.args[name] as readonly ArgValue[]).map((value) => (value === null ? null : this.#place(value)));
  }

  output(index = 0, strides?: readonly number[]): Place {
    return this.#allocate(this.call.results[index] as LoweredTensor, strides);
  }

  outputs(index = 0): readonly Place[] {
    return (this.call.results[index] as readonly LoweredTensor[]).map((tensor) => this.#allocate(tensor));
  }

  alias(index: number, place: Place): void {
    this.#table.set(this.call.results[index] as LoweredTensor, place);
  }

  #allocate(tensor: LoweredTensor, strides: readonly number[] = rowMajor(tensor.shape)): Place {
    const { dtype, shape } = tensor;
    const buffer = this.#table.allocate(numel(shape) * DTYPES[dtype].itemsize);
    const place: Place = { dtype, shape, strides, offset: 0, buffer };
    this.#table.set(tensor, place);
    return place;
  }

  #place(value: ArgValue): Place {
    if (isTensor(value)) {
      const place = this.#table.get(value);
      this.sink.reads(place.buffer);
      return place;
    }
    const meta = value as TensorMeta;
    if (meta?.wrapped === undefined) {
      throw backendError("backend.internal", {
        what: `${this.call.record.name}: a kernel asked for a tensor and got ${typeof value}`,
      });
    }
    const place = scalarConstant(this.services.constants, meta.dtype as DType, meta.wrapped);
    this.sink.reads(place.buffer);
    return place;
  }
}
