/** What was made for a key, as long as it is used now and then: of more than `most` the least recently used is dropped. */
export class LruCache<T> {
  readonly #entries = new Map<string, T>();
  readonly #drop: (entry: T) => void;

  readonly #most: number;

  constructor(drop: (entry: T) => void = () => {}, most = 16) {
    this.#drop = drop;
    this.#most = most;
  }

  get(key: string, make: () => T): T {
    const known = this.#entries.get(key);
    const entry = known ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#most) {
      const [oldest, dropped] = this.#entries.entries().next().value!;
      this.#entries.delete(oldest);
      this.#drop(dropped);
    }
    return entry;
  }

  /** Drops everything. */
  clear(): void {
    for (const entry of this.#entries.values()) this.#drop(entry);
    this.#entries.clear();
  }
}
