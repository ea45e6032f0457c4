import { type Decode, JsonReader, listOf, string } from "../json/json-reader.ts";
import { type Json, parseJson, plainJson } from "../json/parse-json.ts";
import type { TreeSpec } from "./exported-program.ts";

/** The protocol version of `torch.utils._pytree`. */
const PROTOCOL = 1;

/** Parses `[1, node]`, the text of a pytree. */
export function parseTreeSpec(text: string, where: string): TreeSpec {
  const json = new JsonReader(where, "format.program");
  const value = parseJson(new TextEncoder().encode(text), where);
  const [protocol, tree] = json.list(value, (_, item) => item);
  if (tree === undefined) return json.fail("expected a tree spec, [protocol, tree]");
  if (protocol !== PROTOCOL) json.fail(`tree spec protocol ${JSON.stringify(protocol)} is not supported`);
  return treeSpec(json, tree);
}

const treeSpec: Decode<TreeSpec> = (json, value) =>
  json.nested(() => {
    const object = json.object(value);
    const type = json.optional(object, "type", string, null);
    const context = Object.hasOwn(object, "context") ? object.context! : null;
    return {
      type,
      context: type === null ? null : decodeContext(type, context),
      children: json.at(object, "children_spec", listOf(treeSpec)),
    };
  });

/**
 * Decodes a context, which is usually JSON inside a string; a namedtuple's is a bare name, a defaultdict's an object.
 */
function decodeContext(type: string, context: Json): unknown {
  if (typeof context !== "string" || type === "collections.namedtuple") return plainJson(context);
  try {
    return plainJson(parseJson(new TextEncoder().encode(context), "tree spec"));
  } catch {
    return context;
  }
}
