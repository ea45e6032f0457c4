import type { OpName } from "@pt2/graph";
import { NotLoaded } from "./not-loaded.ts";
import type { Part } from "./op-set.ts";

/** Parts of which each loads once. */
export class Parts<Item> {
  readonly #parts: readonly Part<Item>[];
  readonly #loaded = new Set<Part<Item>>();
  /** Many ops ask for one part at once. */
  readonly #loading = new Map<Part<Item>, Promise<void>>();
  /** Takes what a part brought, all of it or, by throwing, nothing. */
  readonly #add: (items: readonly Item[]) => void;

  constructor(parts: readonly Part<Item>[], add: (items: readonly Item[]) => void) {
    this.#parts = parts;
    this.#add = add;
  }

  /** The next part that may have something for an op; null when nothing is left to load. */
  missing(op: OpName): NotLoaded | null {
    const part = this.#parts.find((candidate) => candidate.ops.test(op) && !this.#loaded.has(candidate));
    return part === undefined ? null : new NotLoaded(op, () => this.#load(part));
  }

  /** Every part that is not loaded. */
  get left(): readonly NotLoaded[] {
    const left = this.#parts.filter((part) => !this.#loaded.has(part));
    return left.map((part) => new NotLoaded(String(part.ops), () => this.#load(part)));
  }

  /** Whether any part, loaded or not, may have something for an op. */
  mayHave(op: OpName): boolean {
    return this.#parts.some(({ ops }) => ops.test(op));
  }

  #load(part: Part<Item>): Promise<void> {
    const known = this.#loading.get(part);
    if (known !== undefined) return known;
    // A part that could not be had is asked for again.
    const loading = this.#bring(part).finally(() => this.#loading.delete(part));
    this.#loading.set(part, loading);
    return loading;
  }

  async #bring(part: Part<Item>): Promise<void> {
    if (this.#loaded.has(part)) return;
    const items = await part.load();
    this.#add(items);
    // A refused part is refused again at the next call.
    this.#loaded.add(part);
  }
}
