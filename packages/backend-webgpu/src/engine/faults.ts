import type { Pt2Error } from "@pt2/format";

/**
 * What the device finds wrong with calls. WebGPU never throws: it reports later, to error scopes that were pushed
 * before the call, so questions gather here and the answers are looked at where something is waited for anyway.
 */
export class Faults {
  readonly #gpu: GPUDevice;
  #pending: Promise<Pt2Error | null>[] = [];

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu;
  }

  /** Runs `work`, during which nothing is awaited. What of this kind is wrong in it fails the next {@link settle}. */
  watch<T>(
    filter: "validation" | "out-of-memory" | "internal",
    work: () => T,
    describe: (message: string) => Pt2Error,
  ): T {
    this.#gpu.pushErrorScope(filter);
    try {
      return work();
    } finally {
      const told = this.#gpu.popErrorScope();
      this.#pending.push(
        told.then(
          (error) => (error === null ? null : describe(error.message)),
          // The device went away, which is told where it is noticed.
          () => null,
        ),
      );
    }
  }

  /** Fails with the first thing that was wrong since the last time. */
  async settle(): Promise<void> {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    const problem = (await Promise.all(pending)).find((error) => error !== null);
    if (problem !== undefined) throw problem;
  }

  /** Drops reports that will not be read. */
  forget(): void {
    this.#pending = [];
  }
}
