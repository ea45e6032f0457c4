import { DTYPES } from "@pt2/format";
import {
  type ArgValue,
  type Builder,
  defineOp,
  isTensorMeta,
  type OpRecord,
  type ScalarExpr,
  type SchemaType,
  type TensorMeta,
} from "@pt2/registry";
import { differentiate, scalar as s } from "@pt2/registry/scalar";

type Args = Readonly<Record<string, ArgValue>>;
type Gradients = ReturnType<NonNullable<OpRecord["gradient"]>>;

const NAME = "check_op::gradient";
const GRAD = "gradient_of_result";
const GRADS = "gradients_of_results";
const TENSOR: SchemaType = { kind: "base", base: "Tensor" };
const TENSORS: SchemaType = { kind: "list", inner: TENSOR, size: null };

/**
 * The gradient of an op as an op, which any backend runs: its arguments are those of the op, then the gradients of its
 * floating point results. It returns the gradients of the operands that have one, in the order of the schema.
 */
export interface GradientOp {
  readonly record: OpRecord;
  /** Further ops that it calls. */
  readonly helpers: readonly OpRecord[];
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

/** Makes the gradient of an op from its rule, or from the derivatives of its expression; null if it has neither. */
export function gradientOp(op: OpRecord): GradientOp | null {
  const helpers = op.gradient === undefined && op.scalar !== undefined ? derivatives(op) : [];
  const rule = op.gradient?.bind(op) ?? (op.scalar === undefined ? undefined : derivedRule(op, helpers));
  if (rule === undefined) return null;
  const of: GradientOp["of"] = (args, given, b) => {
    const results = b.call(op.name, args).flat() as readonly TensorMeta[];
    let next = 0;
    const grads = results.map((result) => (isDifferentiable(result) ? given[next++]! : null));
    const found: Gradients = rule({ args, results, grads, wants: () => true }, b) ?? {};
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
    decompose({ [GRADS]: grads, ...rest }, b) {
      return of(rest, grads as readonly TensorMeta[], b).flatMap(({ gradient }) => gradient ?? []);
    },
  };
  return { record, helpers, grads: GRADS, of };
}

/** Returns whether gradients flow to a tensor. */
export function isDifferentiable({ dtype }: Pick<TensorMeta, "dtype">): boolean {
  return DTYPES[dtype].kind === "float";
}

/** For each tensor operand of an elementwise op, an op that multiplies a gradient by the derivative. */
function derivatives({ schema, scalar }: OpRecord): readonly OpRecord[] {
  return schema.args.flatMap((arg, k) => {
    if (!(arg.type.kind === "base" && arg.type.base === "Tensor")) return [];
    const { name } = defineOp(`check_op::derivative.${arg.name}() -> Tensor`);
    const grad = { name: GRAD, type: TENSOR, alias: null, default: undefined, kwargOnly: false };
    const record: OpRecord = {
      name,
      schema: {
        name,
        args: [grad, ...schema.args.map((each) => ({ ...each, alias: null }))],
        returns: [{ name: null, type: TENSOR, alias: null }],
      },
      promote: { kind: "first" },
      scalar(first: ScalarExpr, ...operands: readonly ScalarExpr[]) {
        return s.mul(first, differentiate(scalar!(...operands), operands[k]!));
      },
    };
    return [record];
  });
}

function derivedRule({ schema }: OpRecord, helpers: readonly OpRecord[]): NonNullable<OpRecord["gradient"]> {
  return ({ args, grads }, b) => {
    const [grad] = grads;
    if (grad === null || grad === undefined) return {};
    const tensors = schema.args.filter(({ type }) => type.kind === "base" && type.base === "Tensor");
    const entries = tensors.map(({ name }, i) => {
      const given = b.tensor(helpers[i]!.name, { ...args, [GRAD]: grad });
      return [name, summedTo((args[name] as TensorMeta).shape, given, b)] as const;
    });
    return Object.fromEntries(entries);
  };
}

/** Sums over the dimensions that broadcasting added or enlarged. */
function summedTo(shape: readonly number[], grad: TensorMeta, b: Builder): TensorMeta {
  const added = grad.shape.length - shape.length;
  const dim = grad.shape.flatMap((size, d) => (d < added || (shape[d - added] === 1 && size !== 1) ? [d] : []));
  if (dim.length === 0) return grad;
  const self = b.tensor("aten::sum.dim_IntList", { self: grad, dim, keepdim: true });
  return added === 0 ? self : b.tensor("aten::view", { self, size: shape });
}
