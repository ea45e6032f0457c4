import type { DType } from "@pt2/format";

/** The elements of a tensor: `small` is 0 to 3, `edge` the ends of the dtype's range and NaNs. */
export type Fill = "small" | "ones" | "zeros" | "negative" | "huge" | "edge" | "ordered";

/** The layout of its memory, or a kind of tensor other than a strided one on the CPU. */
export type Form = "dense" | "transposed" | "expanded" | "sliced" | "sparse" | "csr" | "quantized" | "mkldnn";

/** A tensor as text, so that a call can be repeated in another process. */
export interface TensorSpec {
  readonly kind: "tensor";
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly fill: Fill;
  readonly form: Form;
}

/** An argument as JSON; numbers are text, as JSON has neither 64-bit integers nor infinities. */
export type ArgSpec =
  | TensorSpec
  | { readonly kind: "none" }
  | { readonly kind: "int" | "float"; readonly value: string }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "string" | "device" | "layout" | "memory_format"; readonly value: string }
  | { readonly kind: "dtype"; readonly value: DType }
  | { readonly kind: "complex"; readonly re: number; readonly im: number }
  | ListSpec;

export interface ListSpec {
  readonly kind: "list";
  readonly items: readonly ArgSpec[];
}

/** A call of one op. */
export interface CallSpec {
  readonly op: string;
  readonly args: Readonly<Record<string, ArgSpec>>;
}

/** Formats a call for a report. */
export function showCall({ op, args }: CallSpec): string {
  const parts = Object.entries(args).map(([name, arg]) => `${name}=${show(arg)}`);
  return `${op}(${parts.join(", ")})`;
}

function show(arg: ArgSpec): string {
  switch (arg.kind) {
    case "tensor": {
      const form = arg.form === "dense" ? "" : ` ${arg.form}`;
      return `${arg.dtype}[${arg.shape.join(",")}]${arg.fill === "small" ? "" : ` ${arg.fill}`}${form}`;
    }
    case "list":
      return `[${arg.items.map(show).join(", ")}]`;
    case "none":
      return "none";
    case "complex":
      return `${arg.re}+${arg.im}j`;
    case "string":
      return JSON.stringify(arg.value);
    default:
      return String(arg.value);
  }
}
