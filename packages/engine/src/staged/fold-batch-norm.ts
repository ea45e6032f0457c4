import type { Node } from "@pt2/graph";
import {
  type ArgValue,
  type Call,
  Emitter,
  isTensor,
  type LoweredTensor,
  type LowerOptions,
  type Stage,
  type TensorMeta,
} from "@pt2/registry";
import { loading } from "@pt2/registry/on-demand";
import { operandsOf } from "../fuse.ts";

const CONVOLUTIONS: ReadonlySet<string> = new Set([
  "aten::conv1d",
  "aten::conv2d",
  "aten::conv3d",
  "aten::conv1d.padding",
  "aten::conv2d.padding",
  "aten::conv3d.padding",
  "aten::convolution",
]);

/** Whether an op is batch normalisation with given statistics: it stays whole until {@link foldBatchNorm} has seen it. */
export function isEvalBatchNorm(op: string, args: Readonly<Record<string, ArgValue>>): boolean {
  return (
    op === "aten::_native_batch_norm_legit_no_training" || (op === "aten::batch_norm" && args["training"] === false)
  );
}

/**
 * Batch normalisation behind a convolution becomes part of its weights:
 *
 *     bn(conv(x, w, b)) = conv(x, w·s, (b − mean)·s + β)   with s = γ / √(var + ε)
 *
 * when all of them are constant and nothing else reads the convolution. Elsewhere, and everywhere when the user asked
 * for `exact`, it is decomposed.
 */
export async function foldBatchNorm(
  { calls, live }: Pick<Stage, "calls" | "live">,
  isConstant: (tensor: LoweredTensor) => boolean,
  { registry, target }: LowerOptions,
  exact: boolean,
): Promise<readonly Call[]> {
  if (!calls.some(({ record, args }) => isEvalBatchNorm(record.name, args))) return calls;
  const plain = {
    ...target,
    isNative: (op: string, args: Call["args"]) => !isEvalBatchNorm(op, args) && target.isNative(op, args),
  };
  const readers = new Map<LoweredTensor, number>();
  for (const call of calls) for (const t of operandsOf(call)) readers.set(t, (readers.get(t) ?? 0) + 1);
  const producers = new Map<LoweredTensor, Call>();
  const out: Call[] = [];
  for (const call of calls) {
    for (const result of call.results) if (isTensor(result)) producers.set(result, call);
    if (!isEvalBatchNorm(call.record.name, call.args)) {
      out.push(call);
      continue;
    }
    const input = call.args["input"] as LoweredTensor;
    const conv = producers.get(input);
    const emitter = new Emitter(registry, plain);
    const statistics = call.results.slice(1).filter(isTensor);
    const alone =
      readers.get(input) === 1 && !live.has(input) && !statistics.some((one) => readers.has(one) || live.has(one));
    if (!exact && conv !== undefined && alone && canFold(conv, call, isConstant)) {
      const folded = await foldInto(conv, call, emitter);
      out.splice(out.indexOf(conv), 1);
      out.push(...emitter.calls, folded);
      producers.set(call.results[0] as LoweredTensor, folded);
    } else {
      const emitted = await loading(() => emitter.emit(call.record.name, call.args, call.node));
      const results = await distinct(emitted, emitter, call);
      out.push(...emitter.calls.map((made) => renamed(made, results, call.results)));
    }
  }
  return out;
}

function canFold(conv: Call, norm: Call, isConstant: (tensor: LoweredTensor) => boolean): boolean {
  const constant = (call: Call, ...names: string[]): boolean =>
    names.every((name) => {
      const value = call.args[name];
      return value === null || value === undefined || (isTensor(value) && isConstant(value));
    });
  const [result, weight] = [conv.results[0] as LoweredTensor, conv.args["weight"] as LoweredTensor];
  const factors = ["weight", "bias", "running_mean", "running_var"].map((name) => norm.args[name]);
  return (
    CONVOLUTIONS.has(conv.record.name) &&
    // Of a single sample without a batch the normalisation takes the height for the channels.
    result.shape.length === weight.shape.length &&
    // Statistics of another dtype would make the weights theirs.
    factors.every((factor) => !isTensor(factor) || factor.dtype === weight.dtype) &&
    conv.args["transposed"] !== true &&
    constant(conv, "weight", "bias") &&
    constant(norm, "weight", "bias", "running_mean", "running_var") &&
    norm.args["running_mean"] !== null
  );
}

async function foldInto(conv: Call, norm: Call, emitter: Emitter): Promise<Call> {
  const tensor = async (op: string, args: Record<string, ArgValue>): Promise<TensorMeta> =>
    (await loading(() => emitter.emit(op, args, norm.node)))[0] as TensorMeta;
  const {
    weight: gamma,
    bias: beta,
    running_mean: mean,
    running_var: variance,
    eps,
  } = norm.args as Record<string, ArgValue>;
  const { weight, bias } = conv.args as { readonly weight: TensorMeta; readonly bias: TensorMeta | null };
  const shifted = await tensor("aten::add.Tensor", { self: variance!, other: { float: eps as number } });
  const rstd = await tensor("aten::rsqrt", { self: shifted });
  const scale = gamma === null ? rstd : await tensor("aten::mul.Tensor", { self: rstd, other: gamma! });
  const size = [-1, ...weight.shape.slice(1).map(() => 1)];
  const column = await tensor("aten::view", { self: scale, size });
  const centred =
    bias === null
      ? await tensor("aten::neg", { self: mean! })
      : await tensor("aten::sub.Tensor", { self: bias, other: mean! });
  const scaled = await tensor("aten::mul.Tensor", { self: centred, other: scale });
  const shift = beta === null ? scaled : await tensor("aten::add.Tensor", { self: scaled, other: beta! });
  const folded = await tensor("aten::mul.Tensor", { self: weight, other: column });
  const node = joinedNode(conv.node, norm.node);
  return { ...conv, node, args: { ...conv.args, weight: folded, bias: shift }, results: [norm.results[0]!] };
}

/** The first node, which now computes another one too. */
function joinedNode(node: Node, other: Node): Node {
  return { ...node, origin: { ...node.origin, joined: [node, other].map(({ op, name }) => ({ op, name })) } };
}

/** Results of which no two are the same tensor, so that each can take the place of one result of `call`. */
async function distinct(results: readonly ArgValue[], emitter: Emitter, call: Call): Promise<readonly ArgValue[]> {
  const made: ArgValue[] = [];
  for (const [i, result] of results.entries()) {
    const copy = (): readonly ArgValue[] => emitter.emit("aten::clone", { self: result }, call.node);
    made.push(results.indexOf(result) === i ? result : (await loading(copy))[0]!);
  }
  return made;
}

/** The call with the results that a decomposition returned under the names that the rest of the program knows. */
function renamed(call: Call, from: readonly ArgValue[], to: readonly ArgValue[]): Call {
  const results = call.results.map((result) => {
    const at = from.indexOf(result);
    return at < 0 ? result : to[at]!;
  });
  const renamedArg = <Arg extends ArgValue>(arg: Arg): Arg => {
    const at = isTensor(arg) ? from.indexOf(arg) : -1;
    return at < 0 ? arg : (to[at] as Arg);
  };
  const args = Object.fromEntries(Object.entries(call.args).map(([name, arg]) => [name, renamedArg(arg)]));
  const { scalar } = call;
  if (scalar === undefined) return { ...call, args, results };
  return { ...call, args, results, scalar: { ...scalar, operands: scalar.operands.map((one) => renamedArg(one)) } };
}
