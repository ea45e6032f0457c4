import type { Pt2Error } from "@pt2/format";
import { registryError } from "../registry-errors.ts";

/** A position in a schema string. Spaces before a token are skipped. */
export interface Cursor {
  readonly text: string;
  at: number;
}

const BLANK = /\s*/y;

/** Consumes `token` if it comes next, and returns whether it did. */
export function accept(cursor: Cursor, token: string): boolean {
  skipBlanks(cursor);
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

/** Consumes `token`, which must come next. */
export function expect(cursor: Cursor, token: string): void {
  if (!accept(cursor, token)) throw schemaError(cursor, `expected \`${token}\``);
}

/** Consumes and returns the text that a sticky pattern matches here, or returns null. */
export function match(cursor: Cursor, pattern: RegExp): string | null {
  skipBlanks(cursor);
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text);
  if (found === null) return null;
  cursor.at = pattern.lastIndex;
  return found[0];
}

/** Parses items between `open` and `close`, separated by commas. */
export function list<T>(cursor: Cursor, open: string, close: string, item: () => T): T[] {
  expect(cursor, open);
  const items: T[] = [];
  if (accept(cursor, close)) return items;
  do items.push(item());
  while (accept(cursor, ","));
  expect(cursor, close);
  return items;
}

/** Makes an error that points to the position in the schema string. */
export function schemaError(cursor: Cursor, what: string): Pt2Error {
  return registryError("registry.schema", {
    what: `malformed schema: ${what} at column ${cursor.at + 1}`,
    where: `${cursor.text}\n         ${" ".repeat(cursor.at)}^`,
    advice: "write the schema as PyTorch prints it, such as `ns::op.overload(Tensor self, int dim=-1) -> Tensor`",
    details: { schema: cursor.text, column: cursor.at + 1 },
  });
}

function skipBlanks(cursor: Cursor): void {
  BLANK.lastIndex = cursor.at;
  BLANK.exec(cursor.text);
  cursor.at = BLANK.lastIndex;
}
