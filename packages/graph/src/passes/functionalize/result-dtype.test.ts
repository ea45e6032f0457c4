import { readFileSync } from "node:fs";
import { DTYPES, type DType } from "@pt2/format";
import { expect, it } from "vitest";
import type { Arg, Node, OpName, TensorType, ValueType } from "../../ir.ts";
import { computedDtype } from "./result-dtype.ts";

/** Op, arguments, dtype that the form without underscore gives, dtype of what is written. */
type Row = readonly [OpName, Readonly<Record<string, Shown>>, DType, DType];
type Shown = string | null | readonly Shown[];

const rows = JSON.parse(
  readFileSync(new URL("in-place-dtypes.golden.json", import.meta.url), "utf8"),
) as readonly Row[];

function typeOf(shown: string): TensorType {
  const [dtype, rank] = shown.split(":") as [DType, string];
  const shape = new Array<number>(Number(rank)).fill(3);
  return { kind: "tensor", dtype, shape, strides: shape, storageOffset: 0 } as unknown as TensorType;
}

function computed(op: OpName, given: Row[1]): DType {
  const types = new Map<string, ValueType>();
  const argOf = (shown: Shown): Arg => {
    if (shown === null) return { kind: "none" };
    if (typeof shown !== "string") return { kind: "list", items: shown.map(argOf) };
    if (shown.includes(":")) {
      const name = `v${types.size}`;
      types.set(name, typeOf(shown));
      return { kind: "value", name };
    }
    if (Object.hasOwn(DTYPES, shown) && shown !== "bool") return { kind: "dtype", value: shown as DType };
    if (shown === "float") return { kind: "float", value: 1.5 };
    return shown === "bool" ? { kind: "bool", value: true } : { kind: "int", value: 1 };
  };
  const args = Object.entries(given).map(([name, shown]) => ({
    name,
    arg: name === "dtype" ? ({ kind: "dtype", value: shown as DType } as const) : argOf(shown),
  }));
  const node: Node = { name: "n", op, args, outputs: [], origin: {} };
  return computedDtype(node, types.get("v0") as TensorType, (name) => types.get(name));
}

it.each([...new Set(rows.map(([op]) => op))])("%s computes in PyTorch's dtype before it writes", (op) => {
  const own = rows.filter(([name]) => name === op);
  const wrong = own.filter(([, given, dtype]) => computed(op, given) !== dtype);
  expect(wrong.map(([, given, dtype]) => ({ given, dtype, ours: computed(op, given) }))).toEqual([]);
  // The written tensor keeps its dtype, whatever was computed.
  expect(own.every(([, given, , kept]) => String(Object.values(given)[0]).startsWith(`${kept}:`))).toBe(true);
});
