import type { Constant } from "./constant.ts";
import type { Buffer } from "./place.ts";

/** How often planned work reads each constant itself, not counting what it reads of something made from it. */
export class ReadCounts {
  readonly #counts = new Map<Constant, number>();

  reads({ constant }: Buffer): void {
    if (constant !== null) this.#add(constant, 1);
  }

  unreads(constant: Constant): void {
    this.#add(constant, -1);
  }

  /** Constants that are read. */
  get constants(): readonly Constant[] {
    return [...this.#counts].flatMap(([constant, count]) => (count > 0 ? [constant] : []));
  }

  clear(): void {
    this.#counts.clear();
  }

  #add(constant: Constant, by: number): void {
    this.#counts.set(constant, (this.#counts.get(constant) ?? 0) + by);
  }
}
