import { load, type Model, type Progress } from "@pt2/runtime";
import { type BackendId, backend } from "../backends.ts";
import type { ModelDetails } from "../model/details.ts";

/** The abort signal and the progress callback of a load. */
export interface LoadEvents {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** A model of an open file, loaded on each backend on first use. */
export class Session {
  readonly #details: ModelDetails;
  readonly #models = new Map<BackendId, Model>();

  constructor(details: ModelDetails) {
    this.#details = details;
  }

  /** The model on that backend. A load that is aborted or fails leaves nothing behind. */
  async model(id: BackendId, events: LoadEvents): Promise<Model> {
    const known = this.#models.get(id);
    if (known !== undefined) return known;
    const { file, report } = this.#details;
    const model = await load(file.source, { backend: await backend(id), model: report.name, ...events });
    // An abort that comes with the last byte leaves nothing behind either.
    if (events.signal.aborted) await model.dispose();
    events.signal.throwIfAborted();
    this.#models.set(id, model);
    return model;
  }

  async dispose(): Promise<void> {
    const models = [...this.#models.values()];
    this.#models.clear();
    await Promise.all(models.map((model) => model.dispose()));
  }
}
