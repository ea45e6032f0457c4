import { type OpName, parseOpName, splitOpName } from "@pt2/graph";
import { declaredEffects, effectsOf } from "../effects.ts";
import type { OpHandler } from "../handler.ts";
import { duplicate, OpRecords } from "../op-records.ts";
import { type OpRegistry, type RegistryParts, registryOf } from "../op-registry.ts";
import type { OpSet } from "../op-set.ts";
import { PackageKernels, requireKernelOps } from "./package-kernels.ts";
import * as checks from "./results.ts";
import { scatterRecord, viewOfScatter } from "./scatter-variant.ts";
import { effectsOfHandled, effectsOfUser } from "./user-effects.ts";
import { checkedHandler, checkedRecord } from "./user-rules.ts";

/** Builds a registry. Throws `registry.duplicate` if an op is defined twice without `replace`. */
export function createRegistry({ sets, handlers = [] }: RegistryParts): OpRegistry {
  const records = new OpRecords(sets, { checkedRecord, scatterRecord, viewOfScatter });
  const plain = registryOf(records);
  const byOp = handlersOf(handlers);
  const kernels = new PackageKernels(sets);
  requireKernelOps(sets, records);
  const { resolve } = plain;
  const handlerOf = (text: string): OpHandler | undefined => {
    if (byOp.size === 0) return undefined;
    const op = parseOpName(text);
    return byOp.get(op) ?? byOp.get(everyOverload(op));
  };
  const hasUsers = sets.some(({ builtIn }) => builtIn !== true);
  const replaces = sets.some(({ replace }) => replace === true);
  const isReplaced = (op: string): boolean => replaces && records.isReplaced(parseOpName(op));
  const callsByName = handlers.some(({ rewrite }) => rewrite !== undefined) || sets.some(mayCallAny);
  return {
    ...plain,
    // Functions of users call ops synchronously, so everything is loaded before they run.
    load: (ops) => plain.load(callsByName ? "all" : ops),
    handlerOf,
    isClaimed: (op) => handlerOf(op) !== undefined || isReplaced(op),
    isReplaced,
    userSetOf: (op) => (hasUsers ? records.userSetOf(parseOpName(op))?.name : undefined),
    effectsOf(op) {
      const record = resolve(op);
      const handler = handlerOf(op);
      if (handler !== undefined) return effectsOfHandled(record, handler);
      if (record === undefined) return undefined;
      const isDerived = record.functional !== undefined || records.hasFunctionalVariant(record);
      const own = !isDerived || kernels.backendsOf(record.name).length > 0;
      const users = hasUsers && records.userSetOf(record.name) !== undefined;
      // Observations of PyTorch's op do not hold for a user's op of the same name.
      const declared = users ? declaredEffects(record) : effectsOf(record);
      const effects = own && (users || declared.mutates.length > 0) ? effectsOfUser(record, declared) : declared;
      return isReplaced(op) ? { ...effects, claimed: true } : effects;
    },
    kernelsFor: (backend) => kernels.of(backend),
    hasKernel: (op, backend) => kernels.has(op, backend),
    lackOf(op, backend) {
      const set = hasUsers ? records.userSetOf(parseOpName(op)) : undefined;
      const record = set && resolve(op);
      if (set === undefined || record === undefined) return null;
      const others = kernels.backendsOf(record.name);
      const brought = others.length === 0 ? "" : `; its kernels are for ${others.join(", ")}, not for ${backend}`;
      const bare = (record.scalar ?? record.view ?? record.decompose) === undefined;
      const what = bare
        ? `its record in op set "${set.name}" has neither scalar, view nor decompose`
        : `the rules of op set "${set.name}" do not apply to its arguments`;
      return `${what}${brought}`;
    },
    checks,
    list: () =>
      [...new Set([...records.names, ...byOp.keys()])]
        .sort()
        .map((op) => ({ op, source: records.sourceOf(op) ?? "handler", handled: byOp.has(op) })),
  };
}

/** Returns whether functions of a user's set may call ops by name; rules that only ask another thread do not. */
function mayCallAny({ builtIn, asked, ops }: OpSet): boolean {
  return builtIn !== true && asked !== true && ops.some(({ decompose }) => decompose !== undefined);
}

function handlersOf(handlers: readonly OpHandler[]): ReadonlyMap<OpName, OpHandler> {
  const byOp = new Map<OpName, OpHandler>();
  const names = new Map<OpHandler, string>();
  handlers.forEach((handler, at) => {
    const checked = checkedHandler(handler);
    names.set(checked, `handler ${at}`);
    for (const op of handler.ops.map(parseOpName)) {
      const earlier = byOp.get(op);
      if (earlier !== undefined && (handler.replace !== true || earlier === checked)) {
        throw duplicate(op, names.get(earlier)!, `handler ${at}`);
      }
      byOp.set(op, checked);
    }
  });
  return byOp;
}

function everyOverload(name: OpName): OpName {
  const { namespace, op } = splitOpName(name);
  return `${namespace}::${op}.*`;
}
