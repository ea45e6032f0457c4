import type { TreeSpec } from "@pt2/format";

/**
 * Prints a pytree: `*` for a leaf, `tuple(*, list(*))`, `dict("a": *)`, and any other type with its context in JSON.
 */
export function printTree(spec: TreeSpec): string {
  if (spec.type === null) return "*";
  const children = spec.children.map(printTree);
  const plain = /^builtins\.(tuple|list)$/.exec(spec.type)?.[1];
  if (plain !== undefined && spec.context === null) return `${plain}(${children.join(", ")})`;
  if (spec.type === "builtins.dict" && isKeys(spec.context, children.length)) {
    return `dict(${spec.context.map((key, i) => `${JSON.stringify(key)}: ${children[i]}`).join(", ")})`;
  }
  const context = JSON.stringify(JSON.stringify(spec.context ?? null));
  return `node ${JSON.stringify(spec.type)} ${context} (${children.join(", ")})`;
}

function isKeys(context: unknown, count: number): context is readonly (string | number)[] {
  return (
    Array.isArray(context) &&
    context.length === count &&
    context.every((key) => typeof key === "string" || (Number.isSafeInteger(key) && key >= 0))
  );
}
