import type { Capabilities } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import { type Node, type Program, stats, walk } from "@pt2/graph";
import {
  canonicalizeStridedViews,
  eliminateDeadCode,
  foldSymbolicArithmetic,
  hasRegions,
  isFunctional,
  looksBehindViews,
  mutates,
  removeNoOps,
} from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";
import { requireArguments } from "@pt2/registry/on-demand";

type Mutation = Pick<Capabilities, "mutation">;

/**
 * The first of the passes, which need no records: wrappers opened, what computes nothing removed unless somebody takes
 * it over. Copies stay for a backend that runs mutation, as the program may write to what they were made of.
 */
export async function tidy(
  imported: Program,
  { isClaimed }: Pick<OpRegistry, "isClaimed">,
  { mutation = false }: Mutation = {},
): Promise<Program> {
  const program = canonicalizeStridedViews(await withoutRegions(imported), isClaimed);
  return removeNoOps(program, { keepCopies: mutation, isClaimed });
}

async function withoutRegions(program: Program): Promise<Program> {
  if (!hasRegions(program.graph)) return program;
  const { expandAutocast, expandVmap } = await import("@pt2/graph/regions");
  return expandVmap(expandAutocast(program));
}

/** Buffers that lie in each other become views of one, where the program writes to one. */
export async function tied(imported: Program, weights: ReadonlyMap<string, WeightTensor>): Promise<Program> {
  if (isFunctional(imported.graph)) return imported;
  const { aliasBuffers } = await import("@pt2/graph/functionalize");
  return aliasBuffers(imported, weights);
}

/** The rest of the passes, over a tidy program. What makes it functional is loaded if it is needed. */
export async function complete(
  tidied: Program,
  registry: OpRegistry,
  { mutation = false }: Mutation,
): Promise<Program> {
  await loadOps(tidied, registry);
  checkArguments(tidied, registry);
  const program = mutation ? tidied : await functional(tidied, registry);
  return eliminateDeadCode(foldSymbolicArithmetic(program), { isPure: (node) => isPure(node, registry) });
}

/** The passes between a file and a backend, in their order: functional, unless the backend runs mutation as it is. */
export async function prepare(imported: Program, registry: OpRegistry, capabilities: Mutation = {}): Promise<Program> {
  return await complete(await tidy(imported, registry, capabilities), registry, capabilities);
}

async function functional(program: Program, registry: OpRegistry): Promise<Program> {
  const { effectsOf } = registry;
  if (!mutates(program.graph, effectsOf) && !looksBehindViews(program.graph)) return program;
  const { functionalize } = await import("@pt2/graph/functionalize");
  const made = functionalize(program, effectsOf);
  await loadOps(made, registry);
  return made;
}

async function loadOps({ graph }: Program, registry: OpRegistry): Promise<void> {
  await registry.load(stats(graph).map(({ op }) => op));
}

/** Refuses arguments that schemas do not have, and calls without those that they need. */
function checkArguments({ graph }: Program, registry: OpRegistry): void {
  walk(graph, (node, { values }) => {
    const schema = CHECKED.test(node.op) ? registry.resolve(node.op)?.schema : undefined;
    if (schema !== undefined) requireArguments(node, schema, values);
  });
}

/** Arguments of others come by position. */
const CHECKED = /^(?!_operator::|higher_order::|math::|torch_)/;

/** Checks return nothing, so nothing uses them: they stay, and so does what writes to an argument or has no record. */
function isPure(node: Node, registry: OpRegistry): boolean {
  const record = registry.resolve(node.op);
  if (record === undefined || record.impure === true) return false;
  return record.schema.returns.length > 0 && registry.effectsOf(node.op)?.mutates.length === 0;
}
