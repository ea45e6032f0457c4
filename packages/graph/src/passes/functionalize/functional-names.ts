import type { NamedArg, Node, OpName } from "../../ir.ts";
import { splitOpName } from "../../op-name.ts";
import type { OpEffects } from "./effects.ts";

/** Functional variants whose name is not the in-place name without its underscore. */
const IRREGULAR: Readonly<Record<OpName, OpName>> = {
  "aten::normal_": "aten::normal_functional",
  "aten::bernoulli_.float": "aten::bernoulli.p",
  "aten::rrelu_with_noise": "aten::rrelu_with_noise_functional",
  "aten::_native_batch_norm_legit": "aten::_native_batch_norm_legit_functional",
  "aten::_batch_norm_with_update": "aten::_batch_norm_with_update_functional",
  "aten::_fused_moving_avg_obs_fq_helper": "aten::_fused_moving_avg_obs_fq_helper_functional",
  "aten::fused_moving_avg_obs_fake_quant": "aten::_fused_moving_avg_obs_fq_helper_functional",
};

/** How many results the functional variant has that the other one lacks, behind those that both have. */
const FURTHER_RESULTS: Readonly<Record<OpName, number>> = { "aten::fused_moving_avg_obs_fake_quant": 1 };

/** Arguments that have a default in the in-place variant only. */
const IMPLIED: Readonly<Record<OpName, readonly NamedArg[]>> = {
  "aten::bernoulli_.float": [{ name: "p", arg: { kind: "float", value: 0.5 } }],
};

/** In-place operators whose written argument has another name in the functional variant: `self`, and there `input`. */
const DROPOUTS = /^aten::(feature_)?(alpha_)?dropout_$/;

/** In-place operators that change the shape of their tensor, with the view op of the same result. */
export const IN_PLACE_VIEWS: ReadonlyMap<OpName, OpName> = new Map(
  ["squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", "transpose", "t", "swapaxes", "swapdims", "as_strided"].map(
    (name) => {
      const [op, overload] = name.split(".");
      const view = op === "transpose" ? "transpose.int" : name;
      return [`aten::${op}_${overload === undefined ? "" : `.${overload}`}`, `aten::${view}`];
    },
  ),
);

/** Returns the functional variant of a node that writes; null where none is known. */
export function functionalForm(node: Node, effects: OpEffects): OpName | null {
  if (effects.claimed) return effects.functional ?? null;
  const irregular = Object.hasOwn(IRREGULAR, node.op) ? IRREGULAR[node.op] : undefined;
  return irregular ?? effects.functional ?? regularForm(node.op);
}

/** Returns the arguments of the functional variant of a node that writes. */
export function functionalArguments({ op, args }: Node): readonly NamedArg[] {
  const implied = Object.hasOwn(IMPLIED, op) ? IMPLIED[op]! : [];
  const named = DROPOUTS.test(op)
    ? args.map(({ name, arg }) => ({ name: name === "self" ? "input" : name, arg }))
    : args;
  return [...named, ...implied.filter(({ name }) => named.every((given) => given.name !== name))];
}

/** Returns how many results the functional variant has besides those of a node and the written values. */
export function furtherResults({ op }: Node): number {
  return Object.hasOwn(FURTHER_RESULTS, op) ? FURTHER_RESULTS[op]! : 0;
}

/** Converts `relu_` to `relu`, `__iand__` to `__and__`. */
function regularForm(name: OpName): OpName | null {
  const { namespace, op, overload } = splitOpName(name);
  const dunder = /^__i(\w+)__$/.exec(op)?.[1];
  const plain = dunder === undefined ? /^(.*[^_])_$/.exec(op)?.[1] : `__${dunder}__`;
  if (plain === undefined || /^(set|resize|resize_as)$/.test(plain)) return null;
  return overload === "" ? `${namespace}::${plain}` : `${namespace}::${plain}.${overload}`;
}

/** Returns whether the written arguments are outputs only, as in `aten::add.out`. */
export function isOutVariant(name: OpName): boolean {
  return /(^|_)out$/.test(splitOpName(name).overload);
}
