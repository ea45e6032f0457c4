import type { Node } from "@pt2/graph";
import {
  type ArgValue,
  builderOf,
  Emitter,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  resolveArgs,
  type TensorMeta,
} from "@pt2/registry";
import { loading } from "@pt2/registry/on-demand";
import { type MetaCall, nodeOf } from "./expected.ts";
import type { FoundFault } from "./fault.ts";

/** Compares what a schema declares about writes and shared memory with what the rules do. */
export async function effectFaults(
  record: OpRecord,
  registry: OpRegistry,
  call: MetaCall,
): Promise<readonly FoundFault[]> {
  const { mutates, aliases } = registry.effectsOf(record.name)!;
  const made = await traced(record, registry, call);
  const faults: FoundFault[] = [];
  for (const [name, op] of made.written) {
    if (mutates.includes(name)) continue;
    faults.push({
      kind: "effects",
      what: `its rules write to \`${name}\` (${op}), which the schema does not declare`,
      advice: `Declare it, \`Tensor(a!) ${name}\`, or write to a copy: b.tensor("aten::clone", { self: ${name} }).`,
    });
  }
  for (const [output, names] of made.shared.entries()) {
    for (const name of names) {
      if (aliases.some((alias) => alias.output === output && alias.arg === name)) continue;
      faults.push({
        kind: "effects",
        what: `result ${output} shares memory with \`${name}\`, which the schema does not declare`,
        advice: `Declare it, \`Tensor(a) ${name}\` and \`-> Tensor(a)\`, or return a copy: b.tensor("aten::clone", …).`,
      });
    }
  }
  const isView = record.view !== undefined || record.inverse !== undefined || record.functional !== undefined;
  for (const { output, arg, copies } of aliases) {
    if (isView || copies === true || mutates.includes(arg) || made.shared[output]?.has(arg) !== false) continue;
    faults.push({
      kind: "effects",
      what: `the schema declares that result ${output} shares memory with \`${arg}\`, and the rules make a new tensor`,
      advice: `Drop the \`(a)\` of \`${arg}\` and of the result, or give the op a \`view\` or an \`inverse\` rule.`,
    });
  }
  return faults;
}

interface Traced {
  /** The arguments that are written, each with the op that writes. */
  readonly written: ReadonlyMap<string, string>;
  /** For each result, the arguments whose memory it has; empty if the op has no rules that say. */
  readonly shared: readonly ReadonlySet<string>[];
}

/** Follows memory through the calls of a decomposition. */
async function traced(record: OpRecord, registry: OpRegistry, { args }: MetaCall): Promise<Traced> {
  const names = new Map<TensorMeta, ReadonlySet<string>>();
  for (const [name, value] of Object.entries(args)) for (const meta of metasIn(value)) names.set(meta, new Set([name]));
  const written = new Map<string, string>();
  const { decompose, view, scalar, schema } = record;
  if (view !== undefined) return { written, shared: schema.returns.map(() => new Set([schema.args[0]!.name])) };
  if (decompose === undefined) return { written, shared: scalar === undefined ? [] : [new Set()] };
  const answer = await loading(() => {
    const emitter = new Emitter(registry, { name: "inference", isNative: () => true });
    const builder = builderOf((op, given) => {
      const results = emitter.emit(op, given, nodeOf(record) as Node);
      const { mutates, aliases } = registry.effectsOf(op) ?? { mutates: [], aliases: [] };
      for (const arg of mutates) {
        for (const meta of metasIn(given[arg])) for (const name of names.get(meta) ?? []) written.set(name, op);
      }
      for (const { output, arg } of aliases) {
        const from = new Set(metasIn(given[arg]).flatMap((meta) => [...(names.get(meta) ?? [])]));
        for (const meta of metasIn(results[output])) names.set(meta, from);
      }
      return results;
    });
    const complete = resolveArgs(record.schema, args);
    return decompose(complete, builder) as ArgValue | null | undefined;
  });
  const results = schema.returns.length === 1 ? [answer] : ((answer ?? []) as readonly ArgValue[]);
  const shared = results.map((result) => new Set(metasIn(result).flatMap((meta) => [...(names.get(meta) ?? [])])));
  return { written, shared };
}

function metasIn(value: ArgValue | undefined): readonly TensorMeta[] {
  if (Array.isArray(value)) return (value as readonly ArgValue[]).flatMap(metasIn);
  return isTensorMeta(value) ? [value] : [];
}
