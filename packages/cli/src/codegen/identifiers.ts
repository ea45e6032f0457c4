import { elementLabel } from "../declare/quote.ts";

/** The names of one scope: each is given out once. */
export class Identifiers {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** Returns an identifier like `text`, which may be any text of a file. */
  like(text: string): string {
    const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
    const camel = words
      .map((word, i) => (i === 0 ? word[0]!.toLowerCase() : word[0]!.toUpperCase()) + word.slice(1))
      .join("");
    // A reserved word, and what begins with a digit, is no name.
    const base = elementLabel(camel, 0) === camel ? camel : `value${camel}`;
    let name = base;
    for (let i = 2; this.#taken.has(name); i++) name = `${base}${/\d$/.test(base) ? "_" : ""}${i}`;
    this.#taken.add(name);
    return name;
  }
}
