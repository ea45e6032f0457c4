/** A value that is computed from others and never changes, as a backend keeps it. */
export interface Derived<Constant> {
  /** What it is computed from; empty for a weight record. */
  readonly inputs: readonly Constant[];
  /** The number of plans that read it while they run. */
  pins: number;
  /** The number of values in its table that are computed from it. */
  uses: number;
  /** Frees its memory, if it has any; the value can be computed again. */
  unload(): void;
}

/** Values that depend on weights alone, by a key that says what each is: one value serves all plans that need it. */
export class ConstantTable<Constant extends Derived<Constant>> {
  readonly #known = new Map<string, Constant>();
  readonly #keys = new Map<Constant, string>();
  /** Those that no plan reads, as far as is known. */
  readonly #unread = new Set<Constant>();

  get size(): number {
    return this.#known.size;
  }

  get(key: string): Constant | undefined {
    return this.#known.get(key);
  }

  set(key: string, constant: Constant): void {
    this.#known.set(key, constant);
    this.#keys.set(constant, key);
    this.#unread.add(constant);
    for (const input of constant.inputs) input.uses++;
  }

  /**
   * Unpins what a released plan read. What no other plan reads leaves memory, and is forgotten unless a value that a
   * plan reads is computed from it.
   */
  release(constants: Iterable<Constant>): void {
    for (const constant of constants) {
      if (--constant.pins > 0) continue;
      constant.unload();
      this.#unread.add(constant);
    }
    // What is computed from others makes place for these, which are added behind it.
    for (const constant of this.#unread) {
      this.#unread.delete(constant);
      if (constant.pins === 0 && constant.uses === 0) this.#forget(constant);
    }
  }

  #forget(constant: Constant): void {
    const key = this.#keys.get(constant);
    // Weight records are in no table.
    if (key === undefined) return;
    this.#known.delete(key);
    this.#keys.delete(constant);
    for (const input of constant.inputs) if (--input.uses === 0) this.#unread.add(input);
  }
}

/**
 * Counts how often constants that are about to be computed need each of their inputs, directly or not. An input that no
 * constant needs any more leaves memory, so the raw bytes of a weight that is used packed do not stay.
 */
export class InputUses<Constant extends Derived<Constant>> {
  readonly #left = new Map<Constant, number>();
  readonly #pending: Set<Constant>;

  constructor(wanted: readonly Constant[]) {
    this.#pending = inputsFirst(wanted);
    for (const { inputs } of this.#pending) {
      for (const input of inputs) this.#left.set(input, this.of(input) + 1);
    }
  }

  /** The wanted constants and all that is computed on the way, each after its inputs. */
  get all(): readonly Constant[] {
    return [...this.#pending];
  }

  /** Returns how many values are still to be computed from a constant. */
  of(constant: Constant): number {
    return this.#left.get(constant) ?? 0;
  }

  /** Records that a constant has its value. */
  done(constant: Constant): void {
    if (!this.#pending.delete(constant)) return;
    for (const input of constant.inputs) {
      const left = this.of(input) - 1;
      this.#left.set(input, left);
      if (left > 0) continue;
      this.done(input);
      if (input.pins === 0) input.unload();
    }
  }
}

/**
 * Lists constants and all that they are computed from. They share inputs, so paths between them may be exponentially
 * many.
 */
function inputsFirst<Constant extends Derived<Constant>>(constants: readonly Constant[]): Set<Constant> {
  const found = new Set<Constant>();
  const visit = (constant: Constant): void => {
    if (found.has(constant)) return;
    constant.inputs.forEach(visit);
    found.add(constant);
  };
  constants.forEach(visit);
  return found;
}
