import { gradientRuleOf } from "@pt2/autograd";
import { DTYPES } from "@pt2/format";
import {
  type ArgValue,
  type Builder,
  isTensorMeta,
  type OpRecord,
  type SchemaType,
  type TensorMeta,
} from "@pt2/registry";

type Args = Readonly<Record<string, ArgValue>>;

const NAME = "check_op::gradient";
const GRADS = "gradients_of_results";
const TENSORS: SchemaType = { kind: "list", inner: { kind: "base", base: "Tensor" }, size: null };

/**
 * The gradient of an op as an op, which any backend runs: its arguments are those of the op, then the gradients of its
 * floating point results. It returns the gradients of the operands that have one, in the order of the schema.
 */
export interface GradientOp {
  readonly record: OpRecord;
  /** The name of its last argument. */
  readonly grads: string;
  /** Calls the rule; for each tensor operand with a gradient, in the order in which the op returns them. */
  of(args: Args, grads: readonly TensorMeta[], b: Builder): readonly OperandGradient[];
}

/** The gradient of one operand. */
export interface OperandGradient {
  /** `self`, or `tensors[1]`. */
  readonly name: string;
  readonly operand: TensorMeta;
  readonly gradient: TensorMeta | null;
}

/** Makes the gradient of an op from its rule; null if it has none. */
export function gradientOp(op: OpRecord): GradientOp | null {
  const rule = gradientRuleOf(op);
  if (rule === null) return null;
  const of: GradientOp["of"] = (args, given, b) => {
    const results = b.call(op.name, args).flat() as readonly TensorMeta[];
    let next = 0;
    const grads = results.map((result) => (isDifferentiable(result) ? given[next++]! : null));
    const found = rule({ args, results, grads, wants: () => true }, b) ?? {};
    return op.schema.args.flatMap(({ name }) => {
      const gradients = [found[name] ?? null].flat() as readonly (TensorMeta | null)[];
      const operands = [args[name] ?? null].flat() as readonly ArgValue[];
      return operands.flatMap((operand, i) => {
        if (!isTensorMeta(operand) || !isDifferentiable(operand)) return [];
        const called = Array.isArray(args[name]) ? `${name}[${i}]` : name;
        return [{ name: called, operand, gradient: gradients[i] ?? null }];
      });
    });
  };
  const args = [
    ...op.schema.args.map((arg) => ({ ...arg, alias: null })),
    { name: GRADS, type: TENSORS, alias: null, default: undefined, kwargOnly: false },
  ];
  const record: OpRecord = {
    name: NAME,
    schema: { name: NAME, args, returns: [{ name: null, type: TENSORS, alias: null }] },
    // What an op computes by a function on elements is no part of another op, but of nodes that stand for one.
    ...(op.compute !== undefined && op.decompose === undefined ? { dynamic: true } : {}),
    decompose({ [GRADS]: grads, ...rest }, b) {
      return of(rest, grads as readonly TensorMeta[], b).flatMap(({ gradient }) => gradient ?? []);
    },
  };
  return { record, grads: GRADS, of };
}

/** Returns whether gradients flow to a tensor. */
export function isDifferentiable({ dtype }: Pick<TensorMeta, "dtype">): boolean {
  return DTYPES[dtype].kind === "float";
}
