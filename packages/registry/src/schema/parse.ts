import { accept, type Cursor, expect, list, match, schemaError } from "./cursor.ts";
import { parseDefault } from "./parse-default.ts";
import { parseType } from "./parse-type.ts";
import type { OpSchema, SchemaArgument, SchemaReturn } from "./types.ts";

const OP_NAME = /[A-Za-z_]\w*(?:::\w+)+(?:\.\w+)?/y;
const IDENTIFIER = /[A-Za-z_]\w*/y;

/**
 * Parses a schema string in the syntax that PyTorch prints and that `torch.library.define` accepts. Throws
 * `registry.schema` with the column of a mistake.
 */
export function parseSchema(text: string): OpSchema {
  const cursor: Cursor = { text: String(text).trim(), at: 0 };
  const name = match(cursor, OP_NAME);
  if (name === null) throw schemaError(cursor, "expected a name such as `ns::op` or `ns::op.overload`");
  const { args, vararg } = parseArguments(cursor);
  expect(cursor, "->");
  const returns = parseReturns(cursor);
  if (cursor.at < cursor.text.length) throw schemaError(cursor, "unexpected text after the returns");
  const schema: OpSchema = { name: name.replace(/\.default$/, ""), args, returns };
  return vararg ? { ...schema, vararg } : schema;
}

function parseArguments(cursor: Cursor): { readonly args: SchemaArgument[]; readonly vararg: boolean } {
  const args: SchemaArgument[] = [];
  const names = new Set<string>();
  let kwargOnly = false;
  let vararg = false;
  list(cursor, "(", ")", () => {
    if (vararg) throw schemaError(cursor, "`...` must come last");
    if (accept(cursor, "...")) {
      vararg = true;
    } else if (accept(cursor, "*")) {
      if (kwargOnly) throw schemaError(cursor, "a second `*`");
      kwargOnly = true;
    } else {
      const arg = parseArgument(cursor, kwargOnly);
      if (names.has(arg.name)) throw schemaError(cursor, `a second argument called \`${arg.name}\``);
      names.add(arg.name);
      args.push(arg);
    }
  });
  return { args, vararg };
}

function parseArgument(cursor: Cursor, kwargOnly: boolean): SchemaArgument {
  const { type, alias } = parseType(cursor);
  const name = match(cursor, IDENTIFIER);
  if (name === null) throw schemaError(cursor, "expected an argument name");
  const fallback = accept(cursor, "=") ? parseDefault(cursor, type) : undefined;
  return { name, type, alias, default: fallback, kwargOnly };
}

function parseReturns(cursor: Cursor): readonly SchemaReturn[] {
  const start = cursor.at;
  const isTuple = accept(cursor, "(");
  cursor.at = start;
  return isTuple ? list(cursor, "(", ")", () => parseReturn(cursor)) : [parseReturn(cursor)];
}

function parseReturn(cursor: Cursor): SchemaReturn {
  const { type, alias } = parseType(cursor);
  return { name: match(cursor, IDENTIFIER), type, alias };
}
