import { HostTensor, type Value } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { NativeDirect, NativeDirectDone, NativeValue } from "./addon.ts";
import { fromNative } from "./native-failure.ts";
import type { CompiledPlan } from "./plan/compiled-plan.ts";
import { toValues, toValuesSync } from "./run-values.ts";

/** The most bytes of inputs of a run that is made ready to be repeated: they stay allocated. */
const MOST_INPUT_BYTES = 1 << 22;

/** The most bytes of its results: larger ones are better shared than copied. */
const MOST_RESULT_BYTES = 1 << 16;

/** The most bytes of inputs that are copied for a run on the calling thread, which could read them where they are. */
const MOST_BYTES_AT_ONCE = 1 << 16;

interface Layout {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

interface Frame {
  readonly inputs: readonly Layout[];
  readonly inputBytes: number;
  readonly outputs: readonly (Layout & { readonly byteLength: number })[];
  readonly native: NativeDirect;
}

/**
 * Runs a plan again and again on inputs of the same shapes: everything around the ops is ready, and nothing but the memory of
 * the results is made. A frame for shapes is made when they have come twice in a row.
 */
export class DirectRuns {
  readonly #plan: CompiledPlan;
  #frame: Frame | null = null;
  #seen: readonly Layout[] | null = null;
  /** False once the plan is known to need more than inputs and results. */
  #possible = true;
  /** The run on the pool that is under way; others are computed another way meanwhile. */
  #posted: Promise<unknown> | null = null;

  constructor(plan: CompiledPlan) {
    this.#plan = plan;
  }

  /** Whether it is ready for inputs of these shapes. */
  fits(inputs: readonly Value[]): boolean {
    return this.#frame !== null && this.#posted === null && areLike(inputs, this.#frame.inputs);
  }

  /** Whether inputs that fit are few bytes: only such runs compute on the calling thread. */
  get isLight(): boolean {
    return this.#frame!.inputBytes <= MOST_BYTES_AT_ONCE;
  }

  /**
   * Computes on inputs that fit, on the calling thread. `alone`: its ops take no other threads. Where results have other
   * shapes than before, nothing fits any more.
   */
  run(inputs: readonly Value[], alone: boolean): readonly Value[] {
    const { outputs, native } = this.#frame!;
    const memory = bytesOfAll(inputs);
    const results: HostTensor[] = [];
    for (const { dtype, shape, byteLength } of outputs) {
      const bytes = new Uint8Array(byteLength);
      memory.push(bytes);
      results.push(new HostTensor(dtype, [...shape], bytes));
    }
    let others: readonly NativeValue[] | undefined;
    try {
      others = native.run(alone, ...memory);
    } catch (error) {
      throw fromNative(error, this.#plan.nodeAt);
    }
    if (others === undefined) return results;
    this.#giveUp();
    return toValuesSync(others, "host");
  }

  /** Computes on inputs that fit, on the pool. `learn` is told how long it took. */
  async post(inputs: readonly Value[], learn: (ms: number) => void): Promise<readonly Value[]> {
    const { outputs, native } = this.#frame!;
    let done: NativeDirectDone;
    try {
      const posted = native.post(...bytesOfAll(inputs));
      this.#posted = posted;
      done = await posted;
    } catch (error) {
      throw fromNative(error, this.#plan.nodeAt);
    } finally {
      this.#posted = null;
    }
    learn(done.ns / 1e6);
    if (done.memory !== undefined) {
      return done.memory.map((bytes, i) => new HostTensor(outputs[i]!.dtype, [...outputs[i]!.shape], bytes));
    }
    this.#giveUp();
    return await toValues(done.values, "host");
  }

  /** Tells it of a run that was computed another way. */
  learn(inputs: readonly Value[], results: readonly Value[]): void {
    if (!this.#possible || this.#posted !== null || !inputs.every(isHost) || !results.every(isHost)) return;
    if (this.fits(inputs)) return;
    const again = this.#seen !== null && areLike(inputs, this.#seen);
    this.#seen = inputs.map(layoutOf);
    const inputBytes = bytesOf(inputs);
    if (!again || inputBytes > MOST_INPUT_BYTES || bytesOf(results) > MOST_RESULT_BYTES) return;
    const outputs = results.map((tensor) => ({ ...layoutOf(tensor), byteLength: tensor.bytes.byteLength }));
    const inputLayouts = this.#seen;
    const native = this.#plan.direct(inputLayouts, outputs);
    this.#free();
    this.#possible = native !== null;
    if (native !== null) this.#frame = { inputs: inputLayouts, inputBytes, outputs, native };
  }

  /** Frees the frame when its run is over. Idempotent. */
  async dispose(): Promise<void> {
    this.#possible = false;
    await this.#posted?.catch(() => {});
    this.#free();
  }

  #giveUp(): void {
    this.#possible = false;
    this.#free();
  }

  #free(): void {
    this.#frame?.native.dispose();
    this.#frame = null;
  }
}

function layoutOf({ dtype, shape }: HostTensor): Layout {
  return { dtype, shape: [...shape] };
}

function bytesOf(tensors: readonly HostTensor[]): number {
  return tensors.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
}

function bytesOfAll(inputs: readonly Value[]): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (const input of inputs) all.push((input as HostTensor).bytes);
  return all;
}

function isHost(value: Value): value is HostTensor {
  return value instanceof HostTensor;
}

function areLike(values: readonly Value[], layouts: readonly Layout[]): boolean {
  if (values.length !== layouts.length) return false;
  for (let i = 0; i < layouts.length; i++) {
    const value = values[i]!;
    const { dtype, shape } = layouts[i]!;
    if (!isHost(value) || value.dtype !== dtype || value.shape.length !== shape.length) return false;
    for (let d = 0; d < shape.length; d++) if (value.shape[d] !== shape[d]) return false;
  }
  return true;
}
