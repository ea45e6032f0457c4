import type { Value } from "@pt2/backend";
import { Looks, TURN_MS } from "./look.ts";
import type { FromWorker, Port } from "./protocol.ts";
import type { RunSlot, SlotRun } from "./run-slot.ts";
import { toWireError } from "./wire-error.ts";
import { toWire, transfersOf } from "./wire-values.ts";

/** The worker's side of a slot. */
export class SlotServer {
  readonly #slot: RunSlot;
  readonly #run: (run: SlotRun) => Promise<readonly Value[]>;
  readonly #port: Pick<Port<FromWorker, never>, "post">;
  readonly #looks = new Looks();
  #received = 0;
  #turn = 0;

  constructor(
    slot: RunSlot,
    run: (run: SlotRun) => Promise<readonly Value[]>,
    port: Pick<Port<FromWorker, never>, "post">,
  ) {
    this.#slot = slot;
    this.#run = run;
    this.#port = port;
  }

  /** Counts a message that has been received. */
  countReceived(): void {
    this.#received++;
    this.#turn = performance.now();
  }

  /** Answers the run in the slot, and those that are asked for soon afterwards. */
  answer(): void {
    const asked = this.#slot.take();
    if (asked !== null) void this.#compute(asked);
  }

  async #compute(asked: SlotRun): Promise<void> {
    const slot = this.#slot;
    let results: readonly Value[];
    const start = performance.now();
    try {
      results = await this.#run(asked);
    } catch (error) {
      this.#port.post({ kind: "error", id: asked.id, error: toWireError(error) });
      return;
    }
    const now = performance.now();
    const looks = !this.#hasMail && now - this.#turn < TURN_MS && this.#looks.isDue();
    if (!slot.answer(results, now - start, looks)) {
      const value = results.map(toWire);
      this.#port.post({ kind: "result", id: asked.id, value }, transfersOf(value));
      return;
    }
    if (!slot.callerLooks) this.#port.post({ kind: "answered" });
    if (!looks) return;
    this.#looks.until(() => slot.isAsked || this.#hasMail);
    slot.workerLooks = false;
    this.answer();
  }

  get #hasMail(): boolean {
    return this.#slot.posted !== this.#received;
  }
}
