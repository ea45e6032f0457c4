import { elementLabel } from "../declare/quote.ts";

/** Names that a module, which is always strict, cannot declare, beside the words that are reserved everywhere. */
const STRICT: ReadonlySet<string> = new Set(
  "arguments await eval implements interface let package private protected public static undefined yield".split(" "),
);

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
    const isName = elementLabel(camel, 0) === camel && !STRICT.has(camel);
    const base = isName ? camel : `value${camel}`;
    let name = base;
    for (let i = 2; this.#taken.has(name); i++) name = `${base}${/\d$/.test(base) ? "_" : ""}${i}`;
    this.#taken.add(name);
    return name;
  }
}
