import type { Value } from "@pt2/backend";
import { isTensor } from "./check-inputs.ts";

/**
 * Starts runs in the order of their calls, since runs of a program that writes to its buffers see each other's writes.
 * One with inputs that are still being computed waits for them, and those that are called later wait for it to start.
 */
export class RunsInOrder {
  /** Ends when the last run that waits has started. */
  #last: Promise<void> | null = null;

  start<Result>(values: readonly Value[], run: (inputs: readonly Value[]) => Promise<Result>): Promise<Result> {
    if (this.#last === null && !values.some(isPending)) return run(values);
    return this.#startInTurn(values, run);
  }

  async #startInTurn<Result>(
    values: readonly Value[],
    run: (inputs: readonly Value[]) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#last;
    const computed = Promise.all(values.map((value) => (isPending(value) ? value.computed() : value)));
    // A failure is reported when it is this run's turn.
    computed.catch(() => {});
    const started = (async () => {
      await before;
      const inputs = await computed;
      return { result: run(inputs) };
    })();
    const turn = started.then(
      () => {},
      () => {},
    );
    this.#last = turn;
    turn.then(() => {
      if (this.#last === turn) this.#last = null;
    });
    return await (await started).result;
  }
}

/** Whether a tensor is recorded or still being computed: an executable takes the one that its backend will have made. */
function isPending(value: Value): value is Value & { computed(): Promise<Value> } {
  return isTensor(value) && value.computed !== undefined;
}
