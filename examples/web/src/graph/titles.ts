import { type OpName, printSym, splitOpName, type ValueType } from "@pt2/graph";

/** `conv2d` for PyTorch's own ops, `mylib::f` for others. */
export function opTitle(name: OpName): string {
  const { namespace, op } = splitOpName(name);
  return namespace === "aten" || namespace === "_operator" || namespace === "higher_order" ? op : `${namespace}::${op}`;
}

/** `float32 [s40, 10]`, `int`. */
export function typeText(type: ValueType | undefined): string {
  if (type === undefined) return "";
  switch (type.kind) {
    case "tensor":
      return `${type.dtype} [${type.shape.map((size) => (typeof size === "object" ? printSym(size) : size)).join(", ")}]`;
    case "object":
      return type.className;
    default:
      return type.kind.slice("sym".length);
  }
}
