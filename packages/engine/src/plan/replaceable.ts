/**
 * A buffer that another one may take the place of while a step runs: so a step that was planned once computes what equal
 * steps of a program do, on the memory of each.
 */
export abstract class Replaceable<Handle> {
  #other: { readonly handle: Handle } | null = null;

  /** Where this buffer itself is. */
  abstract readonly own: Handle;

  get handle(): Handle {
    const other = this.#other;
    if (other === null) return this.own;
    return other instanceof Replaceable ? (other as Replaceable<Handle>).own : other.handle;
  }

  /** Makes another buffer's place that of this one, or its own again. */
  replace(other: { readonly handle: Handle } | null): void {
    this.#other = other;
  }
}
