import type { DType } from "@pt2/format";
import { defineOp, type OpRecord } from "@pt2/registry";
import {
  BINARY_FNS,
  type BinaryFn,
  evaluate,
  type ScalarExpr,
  type ScalarValue,
  scalar,
  typeExpr,
  UNARY_FNS,
  type UnaryFn,
} from "@pt2/registry/scalar";
import { floats, ints } from "../programs.ts";
import { userSet } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

const OF_INTS: readonly BinaryFn[] = ["and", "or", "xor", "shl", "shr"];
const OF_FLOATS: readonly (UnaryFn | BinaryFn)[] = ["div", "atan2", "copysign", "hypot", "nextafter"];
const OF_NEGATIVE_INTS: readonly UnaryFn[] = ["neg", "abs", "sign", "not"];

const NUMBERS = [0.125, 0.4, 0.9, 1.5, 3, -0.3, -2.5].map(Math.fround);
const PAIRS_OF_NUMBERS = [0.4, 1.5, -2.5, 7].flatMap((x) => [2, -1.5, 0.3].map((y) => [x, y].map(Math.fround)));
const INTS = [0n, 1n, -1n, 7n, -12n];
const PAIRS_OF_INTS = [0n, 1n, -1n, 7n, -12n].flatMap((x) => [1n, 2n, 3n].map((y) => [x, y]));

/** For each function of scalar expressions an op that computes it alone, of float32 and of int64 numbers. */
export const SCALAR_FUNCTIONS: readonly UserOpsCase[] = [
  ...UNARY_FNS.filter((fn) => fn !== "not").map((fn) => ofOne(fn, "float32", NUMBERS)),
  ...OF_NEGATIVE_INTS.map((fn) => ofOne(fn, "int64", INTS)),
  ...BINARY_FNS.filter((fn) => !OF_INTS.includes(fn)).map((fn) => ofTwo(fn, "float32", PAIRS_OF_NUMBERS)),
  ...BINARY_FNS.filter((fn) => !OF_FLOATS.includes(fn)).map((fn) => ofTwo(fn, "int64", PAIRS_OF_INTS)),
];

function ofOne(fn: UnaryFn, dtype: DType, values: readonly ScalarValue[]): UserOpsCase {
  const op = defineOp("mine::function(Tensor self) -> Tensor", { scalar: (x) => scalar[fn](x) });
  const operands = values.map((value) => [value]);
  return caseOf(fn, op, scalar[fn](scalar.input(0)), dtype, operands);
}

function ofTwo(fn: BinaryFn, dtype: DType, pairs: readonly (readonly ScalarValue[])[]): UserOpsCase {
  const op = defineOp("mine::function(Tensor self, Tensor other) -> Tensor", { scalar: (x, y) => scalar[fn](x, y) });
  return caseOf(fn, op, scalar[fn](scalar.input(0), scalar.input(1)), dtype, pairs);
}

/** Leaves out the operands for which the function has no finite result. */
function caseOf(
  fn: string,
  op: OpRecord,
  expr: ScalarExpr,
  dtype: DType,
  given: readonly (readonly ScalarValue[])[],
): UserOpsCase {
  const names = op.schema.args.map(({ name }) => name);
  const typed = typeExpr(expr, { compute: dtype, operands: names.map(() => dtype), result: dtype });
  const operands = given.filter((each) => Number.isFinite(Number(evaluate(typed, each))));
  const size = operands.length;
  const [make, short] = dtype === "int64" ? [ints, "i64"] : [floats, "f32"];
  return {
    name: `scalar functions: ${fn} of ${dtype}`,
    sets: userSet(op),
    program: `program {
  ${names.map((name) => `user_input %${name}: ${short}[${size}]`).join("\n  ")}
  %y: ${short}[${size}] = mine::function(${names.map((name) => `${name}=%${name}`).join(", ")})
  return %y
}`,
    runs: [
      {
        inputs: names.map((_, k) => make([size], ...operands.map((each) => Number(each[k])))),
        outputs: [make([size], ...operands.map((each) => Number(evaluate(typed, each))))],
      },
    ],
  };
}
