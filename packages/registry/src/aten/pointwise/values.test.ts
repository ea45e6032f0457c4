import { readFileSync } from "node:fs";
import type { DType } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { resolveArgs } from "../../op-registry.ts";
import { typeScalarCall } from "../../promotion.ts";
import { convert } from "../../scalar/convert.ts";
import { evaluate } from "../../scalar/evaluate.ts";
import { type ScalarValue, typeExpr } from "../../scalar/typed.ts";
import type { ArgValue, TensorMeta } from "../../tensor-meta.ts";
import { createRegistry } from "../../user-ops/create-registry.ts";
import { aten } from "../aten-ops.ts";

type Row = readonly [
  op: string,
  dtype: DType,
  args: Readonly<Record<string, ArgValue>>,
  resultDtype: DType,
  results: readonly unknown[],
];
interface Golden {
  readonly inputs: { readonly [dtype: string]: { readonly [name: string]: readonly unknown[] } };
  readonly rows: readonly Row[];
}
const golden = JSON.parse(readFileSync(new URL("./values.golden.json", import.meta.url), "utf8")) as Golden;
const registry = createRegistry({ sets: [aten] });
const TOLERANCE: { readonly [dtype: string]: number } = { float16: 5e-3, float32: 1e-5 };
/** PyTorch's vectorized code returns NaN here, its scalar code infinity. */
const isQuirk = (op: string, x: unknown): boolean => op === "aten::gelu" && x === "inf";

const numberOf = (value: unknown): ScalarValue =>
  typeof value === "string" ? Number(value.replace("inf", "Infinity")) : (value as ScalarValue);

/** Returns elements for `x`, `y`, `z` or `mask`, or undefined for another name. */
function elements(name: ArgValue, dtype: DType): readonly ScalarValue[] | undefined {
  if (name === "mask") return golden.inputs[dtype]!.x!.map((_, i) => i % 3 === 0);
  return golden.inputs[dtype]![String(name)]?.map((value) => convert(dtype, numberOf(value)));
}

function run([op, dtype, options]: Row):
  | { readonly dtype: DType; readonly values: readonly ScalarValue[] }
  | undefined {
  const record = registry.resolve(op);
  if (record?.scalar === undefined) return undefined;
  const data = new Map<TensorMeta, readonly ScalarValue[]>();
  const given = Object.entries(options).map(([name, value]): [string, ArgValue] => {
    const found = elements(value, dtype);
    if (found === undefined) return [name, value];
    const meta: TensorMeta = { dtype: value === "mask" ? "bool" : dtype, shape: [found.length] };
    data.set(meta, found);
    return [name, meta];
  });
  const call = typeScalarCall(record, resolveArgs(record.schema, Object.fromEntries(given)));
  const expr = typeExpr(call.expr, {
    compute: call.compute,
    operands: call.operands.map((operand) => operand.dtype),
    result: call.dtype,
  });
  const count = call.shape[0]!;
  const at = (i: number): readonly ScalarValue[] => call.operands.map((operand) => data.get(operand)![i]!);
  return { dtype: call.dtype, values: Array.from({ length: count }, (_, i) => evaluate(expr, at(i))) };
}

function close(ours: ScalarValue, theirs: ScalarValue, dtype: DType): boolean {
  const [a, b] = [Number(ours), Number(theirs)];
  if (Object.is(a, b) || a === b) return true;
  return Math.abs(a - b) <= (TOLERANCE[dtype] ?? 0) * (Math.abs(b) + 0.05);
}

describe("elementwise ops give PyTorch's values", () => {
  for (const op of new Set(golden.rows.map(([name]) => name))) {
    if (registry.resolve(op)?.scalar === undefined) continue;
    it(op, () => {
      for (const row of golden.rows.filter(([name]) => name === op)) {
        const [, dtype, options, resultDtype, results] = row;
        const { dtype: ours, values } = run(row)!;
        expect([dtype, options, ours]).toEqual([dtype, options, resultDtype]);
        const wrong = results
          .map((theirs, i) => ({
            x: golden.inputs[dtype]!.x![i],
            y: golden.inputs[dtype]!.y![i],
            ours: values[i]!,
            theirs: numberOf(theirs),
          }))
          .filter((element) => !isQuirk(op, element.x) && !close(element.ours, element.theirs, resultDtype));
        expect([dtype, options, wrong]).toEqual([dtype, options, []]);
      }
    });
  }
});
