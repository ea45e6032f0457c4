import { accept, type Cursor, expect, list, match, schemaError } from "./cursor.ts";
import type { AliasAnnotation, SchemaType } from "./types.ts";

const TYPE_NAME = /[A-Za-z_][\w.]*/y;
const ALIAS_SET = /\*|[A-Za-z_]\w*/y;
const LIST_SUFFIX = /\[\d*\]/y;

/** A type with the alias annotation inside it, such as `Tensor(a!)[]?`. */
export interface AnnotatedType {
  readonly type: SchemaType;
  readonly alias: AliasAnnotation | null;
}

/** Parses a type, its wrappers and its alias annotation. */
export function parseType(cursor: Cursor): AnnotatedType {
  let type = parseCore(cursor);
  let alias: AliasAnnotation | null = cursor.text[cursor.at] === "(" ? parseAlias(cursor) : null;
  for (;;) {
    const suffix = match(cursor, LIST_SUFFIX);
    if (suffix !== null) {
      type = { kind: "list", inner: type, size: suffix === "[]" ? null : Number(suffix.slice(1, -1)) };
      if (alias === null && cursor.text[cursor.at] === "(") alias = { ...parseAlias(cursor), onList: true };
    } else if (accept(cursor, "?")) {
      type = { kind: "optional", inner: type };
    } else {
      return { type, alias };
    }
  }
}

function parseCore(cursor: Cursor): SchemaType {
  if (/\s*\(/y.test(cursor.text.slice(cursor.at))) {
    return { kind: "tuple", items: list(cursor, "(", ")", () => parseType(cursor).type) };
  }
  const start = cursor.at;
  const name = match(cursor, TYPE_NAME);
  if (name === null) throw schemaError(cursor, "expected a type");
  if (name === "Dict") {
    expect(cursor, "(");
    const key = parseType(cursor).type;
    expect(cursor, ",");
    const value = parseType(cursor).type;
    expect(cursor, ")");
    return { kind: "dict", key, value };
  }
  if (name === "Future" || name === "RRef" || name === "Await") {
    list(cursor, "(", ")", () => parseType(cursor));
    return { kind: "base", base: cursor.text.slice(start, cursor.at).trim() };
  }
  return { kind: "base", base: name };
}

function parseAlias(cursor: Cursor): AliasAnnotation {
  expect(cursor, "(");
  const sets = parseSets(cursor);
  const write = accept(cursor, "!");
  const after = accept(cursor, "->") ? parseSets(cursor) : null;
  expect(cursor, ")");
  return after === null ? { sets, write } : { sets, write, after };
}

function parseSets(cursor: Cursor): string[] {
  const sets: string[] = [];
  do {
    const set = match(cursor, ALIAS_SET);
    if (set === null) throw schemaError(cursor, "expected an alias set");
    sets.push(set);
  } while (accept(cursor, "|"));
  return sets;
}
