import { HostTensor, type Value } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { NativeDirect, NativeValue } from "./addon.ts";
import { fromNative } from "./native-failure.ts";
import type { CompiledPlan } from "./plan/compiled-plan.ts";
import { toValuesSync } from "./run-values.ts";

/** The most bytes of inputs, and of results, of a run that is made ready to be repeated. */
const MOST_BYTES = 1 << 16;

interface Layout {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

interface Frame {
  readonly inputs: readonly Layout[];
  readonly outputs: readonly (Layout & { readonly byteLength: number })[];
  readonly native: NativeDirect;
}

/**
 * Runs a plan on the calling thread again and again, on inputs of the same shapes: everything around the ops is ready,
 * and nothing but the memory of the results is made. A frame for shapes is made when they have come twice in a row.
 */
export class DirectRuns {
  readonly #plan: CompiledPlan;
  #frame: Frame | null = null;
  #seen: readonly Layout[] | null = null;
  /** False once the plan is known to need more than inputs and results. */
  #possible = true;

  constructor(plan: CompiledPlan) {
    this.#plan = plan;
  }

  /** Whether it is ready for inputs of these shapes. */
  fits(inputs: readonly Value[]): boolean {
    return this.#frame !== null && areLike(inputs, this.#frame.inputs);
  }

  /**
   * Computes on inputs that fit. `alone`: its ops take no other threads. Where results have other shapes than before,
   * nothing fits any more.
   */
  run(inputs: readonly Value[], alone: boolean): readonly Value[] {
    const { outputs, native } = this.#frame!;
    const memory: Uint8Array[] = [];
    for (const input of inputs) memory.push((input as HostTensor).bytes);
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
    this.#possible = false;
    this.dispose();
    return toValuesSync(others, "host");
  }

  /** Tells it of a run that was computed another way. */
  learn(inputs: readonly Value[], results: readonly Value[]): void {
    if (!this.#possible || !inputs.every(isHost) || !results.every(isHost) || this.fits(inputs)) return;
    const again = this.#seen !== null && areLike(inputs, this.#seen);
    this.#seen = inputs.map(layoutOf);
    if (!again || bytesOf(inputs) > MOST_BYTES || bytesOf(results) > MOST_BYTES) return;
    const outputs = results.map((tensor) => ({ ...layoutOf(tensor), byteLength: tensor.bytes.byteLength }));
    const inputLayouts = this.#seen;
    const native = this.#plan.direct(inputLayouts, outputs);
    this.dispose();
    this.#possible = native !== null;
    if (native !== null) this.#frame = { inputs: inputLayouts, outputs, native };
  }

  /** Frees the frame. Idempotent. */
  dispose(): void {
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
