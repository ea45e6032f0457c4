/** A plan for values of certain kinds and shapes; `accepts` says whether it is valid for the values of one run. */
export interface Cached<V> {
  readonly key: string;
  /** Sets the values of a run; returns false when the plan was made for other values. */
  accepts(values: V): boolean;
}

/** Keeps the plans that were used last. Unlike in an `LruCache`, several have one key, and one must accept the values. */
export class PlanCache<V, P extends Cached<V>> {
  readonly #limit: number;
  readonly #drop: (plan: P) => void;
  /** The plans, with the most recently used one last. */
  #plans: readonly P[] = [];

  constructor(limit: number, drop: (plan: P) => void) {
    this.#limit = limit;
    this.#drop = drop;
  }

  get plans(): readonly P[] {
    return this.#plans;
  }

  find(key: string, values: V): P | undefined {
    // The plan that was used last is likely to be used again.
    const found = this.#plans.findLast((plan) => plan.key === key && plan.accepts(values));
    if (found !== undefined && found !== this.#plans.at(-1)) {
      this.#plans = [...this.#plans.filter((plan) => plan !== found), found];
    }
    return found;
  }

  add(plan: P): void {
    this.#plans = [...this.#plans, plan];
    while (this.#plans.length > this.#limit) {
      const [oldest, ...rest] = this.#plans;
      this.#plans = rest;
      this.#drop(oldest!);
    }
  }

  /** Releases all plans. */
  clear(): void {
    const plans = this.#plans;
    this.#plans = [];
    for (const plan of plans) this.#drop(plan);
  }
}
