import type { ModuleFrame, NodeMetadata } from "./exported-program.ts";

/**
 * The metadata of a node, whose module stack is parsed on access. It is a class so that all nodes share the accessor.
 */
export class RawMetadata implements NodeMetadata {
  readonly raw: ReadonlyMap<string, string>;

  constructor(raw: ReadonlyMap<string, string>) {
    this.raw = raw;
  }

  get stackTrace(): string | undefined {
    return this.raw.get("stack_trace");
  }

  get nnModuleStack(): readonly ModuleFrame[] {
    return parseModuleStack(this.raw.get("nn_module_stack") ?? "");
  }
}

/** The module stack that torch's export writes for nodes outside every module. */
const NO_STACK = "_empty_nn_module_stack_from_metadata_hook";

/** Parses `key,path,type` joined by `;`: types and paths may hold commas inside brackets. */
function parseModuleStack(text: string): ModuleFrame[] {
  if (text === "" || text.startsWith(NO_STACK)) return [];
  return text.split(";").map((item) => {
    const parts = splitOutsideBrackets(item);
    const [key = "", path = ""] = parts;
    return { key, path, type: parts.slice(2).join(",") };
  });
}

function splitOutsideBrackets(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if ("([".includes(char)) depth++;
    else if (")]".includes(char)) depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
