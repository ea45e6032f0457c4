/** Keeps what was made for the keys that were used last. */
export class LruCache<K, V> {
  readonly #most: number;
  readonly #drop: (value: V) => void;
  /** Values by key, the most recently used last. */
  readonly #values = new Map<K, V>();

  /** Of more than `most` values the least recently used one is dropped. */
  constructor(most: number, drop: (value: V) => void = () => {}) {
    this.#most = most;
    this.#drop = drop;
  }

  get values(): readonly V[] {
    return [...this.#values.values()];
  }

  has(key: K): boolean {
    return this.#values.has(key);
  }

  get(key: K, make: () => V): V {
    const known = this.#values.get(key);
    const value = known ?? make();
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#most) {
      const [oldest, dropped] = this.#values.entries().next().value!;
      this.#values.delete(oldest);
      this.#drop(dropped);
    }
    return value;
  }

  /** Forgets a key; its value is not dropped. */
  forget(key: K): void {
    this.#values.delete(key);
  }

  /** Drops all values. */
  clear(): void {
    const dropped = this.values;
    this.#values.clear();
    for (const value of dropped) this.#drop(value);
  }
}
