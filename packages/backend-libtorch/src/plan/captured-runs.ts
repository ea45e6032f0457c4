import { LruCache } from "@pt2/format";
import type { NativeCapture, NativeValue } from "../addon.ts";
import { fromNative } from "../native-failure.ts";
import { isNativeTensor } from "../native-tensor.ts";
import type { CompiledPlan, PlanInputValue } from "./compiled-plan.ts";

/** The most recordings of a plan. Each keeps the memory of a run. */
const MOST = 4;
/** Sizes that change with each run are not worth a recording, which takes several runs: those that come again are. */
const MOST_SEEN = 64;

/** The recordings of a plan's runs, one for each set of shapes: on CUDA the whole forward is one launch. */
export class CapturedRuns {
  readonly #plan: CompiledPlan;
  /** The shapes of the runs before, of which the next one is recorded. */
  readonly #seen = new LruCache<string, true>(MOST_SEEN);
  readonly #captures = new LruCache<string, Promise<NativeCapture | null>>(MOST, disposed);
  /** False once recording has failed, so that it is not tried again. */
  #possible = true;

  constructor(plan: CompiledPlan) {
    this.#plan = plan;
  }

  /** Runs a recording and returns its results; null where the program has to be run node by node, as at first. */
  async run(inputs: readonly PlanInputValue[]): Promise<readonly NativeValue[] | null> {
    if (!this.#possible) return null;
    const signature = signatureOf(inputs);
    if (!this.#known(signature)) return null;
    const capture = await this.#captures.get(signature, () => this.#plan.capture(inputs));
    this.#possible &&= capture !== null;
    return capture && (await capture.run(inputs).catch((error: unknown) => Promise.reject(fromNative(error))));
  }

  dispose(): void {
    this.#captures.clear();
  }

  /** Returns whether there was a run of these shapes before. */
  #known(signature: string): boolean {
    let known = true;
    this.#seen.get(signature, () => {
      known = false;
      return true;
    });
    return known;
  }
}

function disposed(capture: Promise<NativeCapture | null>): void {
  void capture.then(
    (native) => native?.dispose(),
    () => {},
  );
}

function signatureOf(inputs: readonly PlanInputValue[]): string {
  return inputs
    .map((input) =>
      isNativeTensor(input) || (typeof input === "object" && input !== null && "bytes" in input)
        ? `${input.dtype}[${input.shape}]`
        : `${typeof input}:${String(input)}`,
    )
    .join(";");
}
