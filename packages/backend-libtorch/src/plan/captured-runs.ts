import { LruCache, Pt2Error } from "@pt2/format";
import type { NativeCapture, NativeValue } from "../addon.ts";
import { fromNative } from "../native-failure.ts";
import { isNativeTensor } from "../native-tensor.ts";
import type { CompiledPlan, PlanInputValue } from "./compiled-plan.ts";

/** The most recordings of a plan. Each keeps the memory of a run. */
const MOST = 4;
/** What says that a program, or this machine, does not allow recordings. */
const REFUSALS: readonly string[] = ["libtorch.capture", "libtorch.out-of-memory"];
/** The most shapes whose runs are counted. */
const MOST_SEEN = 64;

/** The recordings of a plan's runs, one for each set of shapes: on CUDA the whole forward is one launch. */
export class CapturedRuns {
  readonly #plan: CompiledPlan;
  /** The runs before, by their shapes. */
  readonly #seen = new LruCache<string, { count: number }>(MOST_SEEN);
  readonly #captures = new LruCache<string, Promise<NativeCapture | null>>(MOST, (capture) => this.#drop(capture));
  readonly #replaying = new Set<NativeCapture>();
  /**
   * The runs of some shapes after which the next one is recorded. A recording takes several runs, so each that was dropped for
   * another raises it: sizes that change all the time are not recorded over and over.
   */
  #enough = 1;
  /** Why the program cannot be recorded, which is not tried again; null where nothing says so. */
  #refusal: string | null;

  /** `refusal` says why the plan must not be recorded, if so. */
  constructor(plan: CompiledPlan, refusal: string | null = null) {
    this.#plan = plan;
    this.#refusal = refusal;
  }

  /** Runs a recording and returns its results; null where the program has to be run node by node, as at first. */
  async run(inputs: readonly PlanInputValue[]): Promise<readonly NativeValue[] | null> {
    if (this.#refusal !== null) return null;
    const signature = signatureOf(inputs);
    if (!this.#isRecorded(signature)) return null;
    const capture = await this.#captures.get(signature, () => this.#record(inputs, signature));
    // One that is under way has its memory in use: this run overlaps with it.
    if (capture === null || this.#replaying.has(capture)) return null;
    this.#replaying.add(capture);
    try {
      return await capture.run(inputs);
    } catch (error) {
      throw fromNative(error);
    } finally {
      this.#replaying.delete(capture);
    }
  }

  /** Says whether runs are recorded, for `explain`. */
  describe(): string {
    if (this.#refusal !== null) return `not recorded: ${this.#refusal}`;
    const count = this.#captures.values.length;
    return count === 0 ? "recorded when shapes come again" : `recorded, sets of shapes: ${count}`;
  }

  dispose(): void {
    this.#captures.clear();
  }

  async #record(inputs: readonly PlanInputValue[], signature: string): Promise<NativeCapture | null> {
    try {
      return await this.#plan.capture(inputs);
    } catch (error) {
      // Elements that an op refuses do not fail the runs on others.
      this.#captures.forget(signature);
      if (!(error instanceof Pt2Error && REFUSALS.includes(error.code))) throw error;
      this.#refusal = error.what;
      return null;
    }
  }

  /** Whether runs of these shapes are recorded, or the next one is to be. */
  #isRecorded(signature: string): boolean {
    const runs = this.#seen.get(signature, () => ({ count: 0 }));
    runs.count += 1;
    return runs.count > this.#enough || this.#captures.has(signature);
  }

  #drop(capture: Promise<NativeCapture | null>): void {
    this.#enough += 1;
    void capture.then(
      (native) => native?.dispose(),
      () => {},
    );
  }
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
