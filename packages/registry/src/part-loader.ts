import type { OpName } from "@pt2/graph";
import { loadCode } from "./not-loaded.ts";
import type { Part } from "./op-set.ts";

/** Loads the parts of an op set when ops need them, each part at most once. */
export class PartLoader<Item> {
  readonly #parts: readonly Part<Item>[];
  readonly #loaded = new Set<Part<Item>>();
  /** The loads under way: many ops may need one part at the same time. */
  readonly #loading = new Map<Part<Item>, Promise<void>>();
  /** Adds the items of a part, all of them or, by throwing, none. */
  readonly #add: (items: readonly Item[]) => void;

  constructor(parts: readonly Part<Item>[], add: (items: readonly Item[]) => void) {
    this.#parts = parts;
    this.#add = add;
  }

  /** Returns the function that loads the next part that may have something for an op; null if nothing is left to load. */
  missing(op: OpName): (() => Promise<void>) | null {
    const part = this.#parts.find((candidate) => candidate.ops.test(op) && !this.#loaded.has(candidate));
    return part === undefined ? null : () => loadCode(op, () => this.#load(part));
  }

  /** Loads the parts that are not loaded. */
  async loadAll(): Promise<void> {
    const left = this.#parts.filter((part) => !this.#loaded.has(part));
    await Promise.all(left.map((part) => loadCode(String(part.ops), () => this.#load(part))));
  }

  /** Returns whether any part, loaded or not, may have something for an op. */
  mayHave(op: OpName): boolean {
    return this.#parts.some(({ ops }) => ops.test(op));
  }

  #load(part: Part<Item>): Promise<void> {
    const known = this.#loading.get(part);
    if (known !== undefined) return known;
    // A part that failed to load is loaded again by the next call.
    const loading = this.#bring(part).finally(() => this.#loading.delete(part));
    this.#loading.set(part, loading);
    return loading;
  }

  async #bring(part: Part<Item>): Promise<void> {
    if (this.#loaded.has(part)) return;
    const items = await part.load();
    this.#add(items);
    // A part whose items were refused is refused again by the next call.
    this.#loaded.add(part);
  }
}
