import type { Arg, Node } from "../ir.ts";

/** A box is no wider for its attributes than this many characters. */
const LENGTH = 44;

/** What a node is told beside its tensors, as short as can be: `stride 2, padding 1`, `dim -1`. */
export function attributesOf({ args }: Node): string {
  const parts = args.flatMap(({ name, arg }) => {
    const text = textOf(arg);
    return text === null ? [] : [name === "" ? text : `${name} ${text}`];
  });
  const text = parts.join(", ");
  return text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
}

/** Null for what says nothing: tensors, and what is not given. */
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
      // A square of two is `2`.
      return new Set(items).size === 1 ? items[0]! : `[${items.join(", ")}]`;
    }
    default:
      return null;
  }
}
