import type { Capabilities } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import { requireArgument } from "@pt2/format/options";
import { type Node, type Program, requireProgram, stats, walk } from "@pt2/graph";
import {
  canonicalizeStridedViews,
  eliminateDeadCode,
  foldSymbolicArithmetic,
  hasDefaultDtypes,
  hasDraws,
  hasInPlaceViews,
  hasRegions,
  hasUnfitMutations,
  hiddenWrites,
  isFunctional,
  looksBehindViews,
  mutates,
  removeNoOps,
} from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";
import { requireArguments } from "@pt2/registry/on-demand";

type Mutation = Pick<Capabilities, "mutation">;

/**
 * Runs the first passes, which need no op definitions: names dtypes that were PyTorch's default, expands regions, makes
 * views of what changes sizes in place, converts new values of buffers to their dtypes, and removes no-ops, except ops that
 * the user takes over. Copies are kept for a backend with mutation, as the program may write to their source.
 */
export async function removeNoOpsAndRegions(
  imported: Program,
  registry: Pick<OpRegistry, "effectsOf" | "isClaimed" | "load" | "resolve">,
  { mutation = false }: Mutation = {},
): Promise<Program> {
  const { isClaimed } = registry;
  const expanded = await withoutRegions(await withNamedDtypes(imported), registry, mutation);
  const program = canonicalizeStridedViews(await drawnInOrder(expanded, mutation), isClaimed);
  return removeNoOps(program, { keepCopies: mutation, isClaimed });
}

async function withNamedDtypes(program: Program): Promise<Program> {
  if (!hasDefaultDtypes(program.graph)) return program;
  const { nameDefaultDtypes } = await import("@pt2/graph/functionalize");
  return nameDefaultDtypes(program);
}

async function withoutRegions(
  program: Program,
  registry: Parameters<typeof removeNoOpsAndRegions>[1],
  mutation: boolean,
): Promise<Program> {
  const { graph } = program;
  if (!hasRegions(graph) && !hasInPlaceViews(graph) && !hasUnfitMutations(program)) return program;
  return await (await import("@pt2/graph/functionalize")).expandRegions(program, registry, mutation);
}

/** A backend with mutation has tensors that lie in memory as PyTorch's. */
async function drawnInOrder(program: Program, mutation: boolean): Promise<Program> {
  if (!hasDraws(program.graph)) return program;
  const { drawInMemoryOrder } = await import("@pt2/graph/functionalize");
  return drawInMemoryOrder(program, mutation ? "strided" : "contiguous");
}

/** Makes overlapping buffers views of one, where the program writes to one. */
export async function aliasWrittenBuffers(
  imported: Program,
  weights: ReadonlyMap<string, WeightTensor>,
): Promise<Program> {
  if (isFunctional(imported.graph)) return imported;
  const { aliasBuffers } = await import("@pt2/graph/functionalize");
  return aliasBuffers(imported, weights);
}

/** Runs the remaining passes. The code of functionalization is loaded on demand. */
export async function functionalizeAndFold(
  simplified: Program,
  registry: OpRegistry,
  { mutation = false }: Mutation,
): Promise<Program> {
  await loadOps(simplified, registry);
  checkArguments(simplified, registry);
  const program = mutation ? simplified : await functional(simplified, registry);
  return eliminateDeadCode(foldSymbolicArithmetic(program), { isPure: (node) => isPure(node, registry) });
}

/**
 * Runs the passes between a file and a backend in order; the result is functional, unless the backend supports
 * mutation.
 */
export async function prepare(imported: Program, registry: OpRegistry, capabilities: Mutation = {}): Promise<Program> {
  requireProgram("prepare()", imported);
  requireArgument("prepare()", "registry", registry, "{ resolve, load }", "runtime.options");
  return await functionalizeAndFold(
    await removeNoOpsAndRegions(imported, registry, capabilities),
    registry,
    capabilities,
  );
}

async function functional(program: Program, registry: OpRegistry): Promise<Program> {
  const { effectsOf } = registry;
  if (!mutates(program.graph, effectsOf) && !looksBehindViews(program.graph)) return program;
  const { functionalize } = await import("@pt2/graph/functionalize");
  const functionalized = functionalize(program, effectsOf);
  await loadOps(functionalized, registry);
  return functionalized;
}

async function loadOps({ graph }: Program, registry: OpRegistry): Promise<void> {
  await registry.load(stats(graph).map(({ op }) => op));
}

/** Throws for arguments that schemas do not have, and for missing required ones. */
function checkArguments({ graph }: Program, registry: OpRegistry): void {
  walk(graph, (node, { values }) => {
    const schema = CHECKED.test(node.op) ? registry.resolve(node.op)?.schema : undefined;
    if (schema !== undefined) requireArguments(node, schema, values);
  });
}

/** Other namespaces pass arguments by position. */
const CHECKED = /^(?!_operator::|higher_order::|math::|torch_)/;

/**
 * Returns whether an unused node can be removed. Checks return nothing and are kept, like nodes that write to an
 * argument or are unknown.
 */
function isPure(node: Node, registry: OpRegistry): boolean {
  const record = registry.resolve(node.op);
  if (record === undefined || record.impure === true) return false;
  if (hiddenWrites(node).length > 0) return false;
  return record.schema.returns.length > 0 && registry.effectsOf(node.op)?.mutates.length === 0;
}
