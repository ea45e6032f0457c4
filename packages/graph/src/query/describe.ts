import type { Node } from "../ir.ts";

/** Names a node for an error: `aten::add_.Tensor (node add_), in block.act, model.py:41, in forward`. */
export function describeNode({ op, name, origin }: Node): string {
  const module = origin.modulePath ? `in ${origin.modulePath}` : "";
  return [`${op} (node ${name})`, module, origin.line ?? ""].filter((part) => part !== "").join(", ");
}
