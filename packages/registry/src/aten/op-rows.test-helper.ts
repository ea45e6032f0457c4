import { readFileSync } from "node:fs";
import type { DType } from "@pt2/format";
import type { ArgValue, TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";

/** A call and PyTorch's result, as `scripts/python/op_rows.py` writes them; `"error"` if PyTorch refuses it. */
export type Row = readonly [op: string, args: Readonly<Record<string, unknown>>, results: "error" | readonly unknown[]];

/** The files that the script writes. */
export type RowsFile = "metas" | "infer-cases" | "decompositions";

export function readRows(name: RowsFile): readonly Row[] {
  return JSON.parse(readFileSync(new URL(`./${name}.golden.json`, import.meta.url), "utf8")) as readonly Row[];
}

/** A callback that is given the elements of a tensor, if a row has them. */
export type OnTensor = (tensor: TensorMeta, elements: readonly (number | boolean)[] | null) => void;

/** Decodes a value of a row: `"float32:2,3"` is a tensor, with `=[elements]` if they matter; `"123n"` is a bigint. */
export function decode(value: unknown, onTensor: OnTensor = () => {}): ArgValue {
  if (Array.isArray(value)) return value.map((item) => decode(item, onTensor));
  if (typeof value === "object" && value !== null && "float" in value) return { float: Number(value.float) };
  if (typeof value !== "string") return value as ArgValue;
  if (/^-?\d+n$/.test(value)) return BigInt(value.slice(0, -1));
  const [, dtype, sizes, elements] = /^([a-z]+\d*):([\d,]*)(?:=(.*))?$/.exec(value) ?? [];
  if (dtype === undefined) return value;
  const tensor: TensorMeta = { dtype: dtype as DType, shape: sizes === "" ? [] : sizes!.split(",").map(Number) };
  onTensor(tensor, elements === undefined ? null : (JSON.parse(elements) as (number | boolean)[]));
  return tensor;
}

/** Decodes the arguments of a row. */
export function argumentsOf([, args]: Row, onTensor?: OnTensor): Readonly<Record<string, ArgValue>> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, decode(value, onTensor)]));
}

/** Encodes results as rows do, without elements. */
export function encode(value: ArgValue): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return isTensorMeta(value) ? `${value.dtype}:${value.shape.join(",")}` : value;
}
