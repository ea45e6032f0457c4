import type { Arg } from "@pt2/graph";
import type { SchemaType } from "@pt2/registry";
import { takesScalar } from "./argument-text.ts";

/** What a tensor is where overloads are chosen: the elements do not count. */
const TENSOR = { dtype: "float32", shape: [], readBytes: () => Promise.resolve(new Uint8Array()) };

/** Returns what an argument is where overloads are chosen. `typeOf` returns the TypeScript type of a value. */
export function argumentData(arg: Arg, type: SchemaType | undefined, typeOf: (value: string) => string): unknown {
  switch (arg.kind) {
    case "value":
      return { Tensor: TENSOR, number: 1, boolean: true }[typeOf(arg.name)];
    case "float":
      return takesScalar(type) ? { float: arg.value } : arg.value;
    case "int":
    case "bool":
    case "string":
    case "dtype":
    case "layout":
    case "memory_format":
      return arg.value;
    case "complex":
      return { re: arg.re, im: arg.im };
    case "device":
      return arg.value.type;
    case "list": {
      const inner = type?.kind === "optional" ? type.inner : type;
      return arg.items.map((item) => argumentData(item, inner?.kind === "list" ? inner.inner : undefined, typeOf));
    }
    default:
      return null;
  }
}
