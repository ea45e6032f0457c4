import { backendError } from "@pt2/backend";
import { elementBytes, numberOf } from "@pt2/engine";
import { type ArgValue, type Call, isTensor, type LoweredTensor, type TensorMeta } from "@pt2/registry";
import type { Epilogue, ResultPlace } from "../shader/shader.ts";
import type { Buffer } from "./constant.ts";
import { bytesOf, Context, placeIn } from "./context.ts";
import type { KernelCall } from "./kernel.ts";
import type { Place } from "./place.ts";
import type { Services } from "./services.ts";
import type { StepSink } from "./step-sink.ts";

/** Where a plan keeps its tensors. */
export interface TensorTable {
  get(tensor: LoweredTensor): Place | undefined;
  set(tensor: LoweredTensor, place: Place): void;
  /** Memory for a result of the current call. */
  allocate(bytes: number): Buffer;
}

/** Elementwise ops that the call's result 0 goes through: `output` is written in its stead. */
export interface Fused {
  readonly output: LoweredTensor;
  readonly epilogue: Epilogue;
}

/** A kernel's view of one call. */
export class CallContext extends Context implements KernelCall {
  readonly call: Call;
  readonly #table: TensorTable;
  readonly #fused: Fused | null;

  constructor(services: Services, sink: StepSink, table: TensorTable, call: Call, fused: Fused | null = null) {
    super(services, sink);
    this.call = call;
    this.#table = table;
    this.#fused = fused;
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

  output(index = 0): Place {
    return this.#made(this.call.results[index] as LoweredTensor);
  }

  outputs(index = 0): readonly Place[] {
    return (this.call.results[index] as readonly LoweredTensor[]).map((tensor) => this.#made(tensor));
  }

  alias(index: number, place: Place): void {
    this.#table.set(this.call.results[index] as LoweredTensor, place);
  }

  protected override result(index: number): ResultPlace {
    const { dtype } = this.call.results[index] as LoweredTensor;
    if (index !== 0 || this.#fused === null) return { place: this.output(index), dtype, epilogue: null };
    return { place: this.#made(this.#fused.output), dtype, epilogue: this.#fused.epilogue };
  }

  #made(tensor: LoweredTensor): Place {
    const known = this.#table.get(tensor);
    if (known !== undefined) return known;
    const { dtype, shape } = tensor;
    const place = placeIn(this.#table.allocate(bytesOf(dtype, shape, this.adapter)), dtype, shape);
    this.#table.set(tensor, place);
    return place;
  }

  #place(value: ArgValue): Place {
    if (isTensor(value)) return this.#table.get(value)!;
    const meta = value as TensorMeta;
    if (meta?.wrapped === undefined) {
      throw backendError("backend.internal", {
        what: `${this.call.record.name}: a kernel asked for a tensor and got ${typeof value}`,
      });
    }
    return this.constant(meta.dtype, [], elementBytes(meta.dtype, numberOf(meta.wrapped)));
  }
}
