import type { Node } from "../ir.ts";

/** Describes a node in an error message: `aten::add_.Tensor (node add_), in block.act, model.py:41, in forward`. */
export function describeNode({ op, name, origin }: Node): string {
  const module = origin.modulePath ? `in ${origin.modulePath}` : "";
  return [`${op} (node ${name})`, module, origin.line ?? ""].filter((part) => part !== "").join(", ");
}
