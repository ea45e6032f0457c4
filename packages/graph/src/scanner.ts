import { graphError } from "./graph-errors.ts";

const SPACE = /(?:\s|;[^\n]*)*/y;
/** Bounds the stack that a malicious text can use. */
const MAX_DEPTH = 300;

const WORD = /[A-Za-z_][\w]*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const JSON_STRING = /"(?:[^"\\\n]|\\.)*"/y;
const PYTHON_STRING = /'([^'\\\n]*)'/y;

/**
 * Reads tokens from a text, for the text form and for symbolic expressions. `;` starts a comment to the end of the
 * line.
 */
export class Scanner {
  readonly text: string;
  /** The offset of the next character. */
  at = 0;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Skips white space and comments and returns whether the text is at its end. */
  get done(): boolean {
    this.match(SPACE);
    return this.at >= this.text.length;
  }

  /** Matches a sticky pattern at the current position, without skipping space. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  /** Returns whether `token` comes next. */
  peek(token: string): boolean {
    return !this.done && this.text.startsWith(token, this.at);
  }

  /** Consumes `token` if it comes next. */
  accept(token: string): boolean {
    const found = this.peek(token);
    if (found) this.at += token.length;
    return found;
  }

  /** Consumes `word` if it comes next as a whole word. */
  acceptWord(word: string): boolean {
    const start = this.at;
    if (this.tryWord() === word) return true;
    this.at = start;
    return false;
  }

  expect(token: string): void {
    if (!this.accept(token)) this.fail(`expected \`${token}\``);
  }

  tryWord(): string | null {
    return this.done ? null : (this.match(WORD)?.[0] ?? null);
  }

  word(): string {
    return this.tryWord() ?? this.fail("expected a name");
  }

  /** Reads a number without sign, as source text. */
  tryNumber(): string | null {
    return this.done ? null : (this.match(NUMBER)?.[0] ?? null);
  }

  /** Reads a JSON string, or a Python string in single quotes without escapes. */
  tryString(): string | null {
    if (this.done) return null;
    const python = this.match(PYTHON_STRING);
    if (python !== null) return python[1]!;
    const json = this.match(JSON_STRING);
    if (json === null) return null;
    try {
      return JSON.parse(json[0]) as string;
    } catch {
      return this.fail("bad escape in a string");
    }
  }

  string(): string {
    return this.tryString() ?? this.fail("expected a string in quotes");
  }

  /** Reads `open item, item, … close`; a comma before `close` is allowed. */
  list<T>(open: string, close: string, item: () => T): T[] {
    this.expect(open);
    if (++this.#depth > MAX_DEPTH) this.fail(`lists nested deeper than ${MAX_DEPTH}`);
    const items: T[] = [];
    while (!this.accept(close)) {
      items.push(item());
      if (this.accept(",")) continue;
      this.expect(close);
      break;
    }
    this.#depth--;
    return items;
  }

  fail(what: string): never {
    const before = this.text.slice(0, this.at);
    const line = before.split("\n").length;
    const column = this.at - before.lastIndexOf("\n");
    throw graphError("graph.syntax", {
      what: `Cannot read this text: ${what}`,
      where: `line ${line}, column ${column}, before ${JSON.stringify(this.text.slice(this.at, this.at + 30))}`,
      details: { line, column },
    });
  }
}
