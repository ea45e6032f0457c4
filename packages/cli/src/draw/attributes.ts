import type { Arg, Node } from "@pt2/graph";

/** The longest text of attributes, so that boxes stay narrow. */
const LENGTH = 44;

/** Returns a node's literal arguments as short text: `stride 2, padding 1`, `dim -1`. */
export function attributesOf({ args }: Node): string {
  const parts = args.flatMap(({ name, arg }) => {
    const text = textOf(arg);
    return text === null ? [] : [name === "" ? text : `${name} ${text}`];
  });
  const text = parts.join(", ");
  return text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
}

/** Returns null for tensors and omitted arguments. */
function textOf(arg: Arg): string | null {
  switch (arg.kind) {
    case "int":
    case "bool":
    case "float":
    case "string":
    case "dtype":
    case "memory_format":
      return String(arg.value);
    case "list": {
      const items = arg.items.map(textOf);
      if (items.length === 0 || items.some((item) => item === null)) return null;
      // Equal items are written once: [2, 2] becomes `2`.
      return new Set(items).size === 1 ? items[0]! : `[${items.join(", ")}]`;
    }
    default:
      return null;
  }
}
