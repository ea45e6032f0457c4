import { requireArgument, requireOptions } from "@pt2/format/options";
import { parseOpName } from "@pt2/graph";
import { declaredEffects, effectsOf } from "../effects.ts";
import type { OpHandler } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import { OpRecords } from "../op-records.ts";
import { type OpRegistry, type RegistryParts, registryOf } from "../op-registry.ts";
import { OPS_API_VERSION, type OpSet } from "../op-set.ts";
import { registryError } from "../registry-errors.ts";
import { HandlerTable } from "./handler-table.ts";
import { PackageKernels, requireKernelOps } from "./package-kernels.ts";
import * as checks from "./results.ts";
import { scatterRecord, viewOfScatter } from "./scatter-variant.ts";
import { effectsOfHandled, effectsOfUser } from "./user-effects.ts";
import { checkedHandler, checkedRecord } from "./user-rules.ts";

/**
 * Builds a registry. Throws `registry.api-version` for an op set of another version of this package, and `registry.duplicate` if an
 * op is defined twice without `replace`.
 */
export function createRegistry(parts: RegistryParts): OpRegistry {
  requireOptions("createRegistry()", parts, { sets: "array", handlers: "array" }, "registry.argument", "sets");
  const { sets, handlers = [] } = parts;
  sets.forEach((set, i) => {
    requireArgument("createRegistry()", `sets[${i}]`, set, "{ name, ops }", "registry.argument");
    requireApiVersion(set);
  });
  const records = new OpRecords(sets, { checkedRecord, scatterRecord, viewOfScatter });
  const plain = registryOf(records);
  const table = new HandlerTable(handlers, checkedHandler);
  const kernels = new PackageKernels(sets);
  requireKernelOps(sets, records);
  const { resolve } = plain;
  // Functions of users call ops by name and synchronously, so everything is loaded before they run.
  const callsByName = handlers.some(({ rewrite }) => rewrite !== undefined) || sets.some(mayCallAny);
  const hasUsers = sets.some(({ builtIn }) => builtIn !== true);
  const replaces = sets.some(({ replace }) => replace === true);
  const isReplaced = (op: string): boolean => replaces && records.isReplaced(parseOpName(op));
  const registryWith = (find: (op: string) => OpHandler | undefined): OpRegistry => {
    const handlerOf = (op: string): OpHandler | undefined =>
      handlers.length === 0 ? undefined : find(parseOpName(op));
    return {
      ...plain,
      load: (ops) => plain.load(callsByName ? "all" : ops),
      handlerOf,
      handledOps: [...table.ops],
      isClaimed: (op) => handlerOf(op) !== undefined || isReplaced(op),
      isReplaced,
      userOps: () => (hasUsers ? records.userOps() : []),
      userSetOf: (op) => (hasUsers ? records.userSetOf(parseOpName(op))?.name : undefined),
      effectsOf(op) {
        const record = resolve(op);
        // A wildcard gets PyTorch's ops as they are when the program is functional.
        const isTorchs = record !== undefined && records.userSetOf(record.name) === undefined;
        const handler = isTorchs ? table.named(parseOpName(op)) : handlerOf(op);
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
        return `${lackOfRules(record, set.name)}${brought}`;
      },
      checks,
      patterns: table.patterns,
      list: () =>
        [...new Set([...records.names, ...table.ops])]
          .sort()
          .map((op) => ({ op, source: records.sourceOf(op) ?? "handler", handled: handlerOf(op) !== undefined })),
    };
  };
  const withoutWildcards = registryWith((op) => table.named(op));
  if (!table.hasWildcards) return withoutWildcards;
  return { ...registryWith((op) => table.find(op)), withoutWildcards };
}

/** Explains why the rules of a record do not run a call. */
function lackOfRules({ scalar, view, decompose, compute }: OpRecord, set: string): string {
  if ((scalar ?? view ?? decompose ?? compute) === undefined) {
    return `its record in op set "${set}" has neither scalar, view, decompose nor compute`;
  }
  if ((scalar ?? view ?? decompose) !== undefined) return `the rules of op set "${set}" do not apply to its arguments`;
  return "its `compute` rule serves nodes of programs, and decompositions of `dynamic` ops, but not this one";
}

function requireApiVersion({ name, version, apiVersion = OPS_API_VERSION }: OpSet): void {
  if (apiVersion === OPS_API_VERSION) return;
  const older = apiVersion < OPS_API_VERSION;
  throw registryError("registry.api-version", {
    what: `Op set "${name}"${version === undefined ? "" : ` ${version}`} was written for version ${apiVersion} of op sets, @pt2/registry has version ${OPS_API_VERSION}`,
    advice: older ? `install a newer version of ${name}` : "install newer versions of the @pt2 packages",
    details: { set: name, version, apiVersion },
  });
}

/** Returns whether functions of a user's set may call ops by name; rules that only ask another thread do not. */
function mayCallAny({ builtIn, asked, ops }: OpSet): boolean {
  return builtIn !== true && asked !== true && ops.some(({ decompose }) => decompose !== undefined);
}
