import type { Pt2Error } from "@pt2/format";

/**
 * Collects the errors of the device. WebGPU never throws: it reports later, to error scopes that were pushed before the
 * call, so scopes gather here and their results are checked where something is awaited anyway.
 */
export class ErrorScopes {
  readonly #gpu: GPUDevice;
  #pending: Promise<Pt2Error | null>[] = [];

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu;
  }

  /** Runs `work`, during which nothing is awaited. An error of this kind in it fails the next {@link check}. */
  watch<T>(
    filter: "validation" | "out-of-memory" | "internal",
    work: () => T,
    describe: (message: string) => Pt2Error,
  ): T {
    this.#gpu.pushErrorScope(filter);
    try {
      return work();
    } finally {
      const scope = this.#gpu.popErrorScope();
      this.#pending.push(
        scope.then(
          (error) => (error === null ? null : describe(error.message)),
          // The device was lost, which is reported where it is noticed.
          () => null,
        ),
      );
    }
  }

  /** Fails with the first error since the last call. */
  async check(): Promise<void> {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    const problem = (await Promise.all(pending)).find((error) => error !== null);
    if (problem !== undefined) throw problem;
  }

  /** Drops reports that will not be read. */
  drop(): void {
    this.#pending = [];
  }
}
