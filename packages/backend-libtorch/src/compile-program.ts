import { type CompileRequest, unsupportedOps } from "@pt2/backend";
import { type Node, type OpName, type Program, walk } from "@pt2/graph";
import { looksBehindViews } from "@pt2/graph/passes";
import { describeNode, effectsOf } from "@pt2/registry";
import { requireArguments } from "@pt2/registry/on-demand";
import type { Abilities } from "./abilities.ts";
import type { Addon, NativeTensor } from "./addon.ts";
import { type Commit, type CommittedProgram, commitsOf } from "./encode/commits.ts";
import { withOwnResults } from "./encode/own-results.ts";
import { withRecordedStrides } from "./encode/recorded-strides.ts";
import { withWiderStates } from "./encode/wider-states.ts";
import { writesState } from "./encode/writes-state.ts";
import { expandProgram } from "./expand/expand-program.ts";
import { handlerTensor } from "./handlers/handler-tensor.ts";
import { HostNodes } from "./handlers/host-nodes.ts";
import type { KeptWeights } from "./kept/kept-weights.ts";
import { libtorchError } from "./libtorch-errors.ts";
import { commitUpdates } from "./optimize/commit-updates.ts";
import { requireWritable } from "./optimize/require-writable.ts";
import type { UpdatedProgram } from "./optimize/update-in-place.ts";
import { type OptimizedProgram, unoptimized } from "./optimized-program.ts";
import { CompiledPlan } from "./plan/compiled-plan.ts";
import { boundValues, runPrologue } from "./prologue.ts";
import { bindWeights, isShared, weightsReadBy } from "./weights/bind-weights.ts";

/** What {@link compileProgram} takes beside the request. */
export interface CompileOptions {
  readonly addon: Addon;
  readonly device: string;
  readonly abilities: Abilities;
  /** The backend's option of this name. */
  readonly mmap: boolean | undefined;
  /** Keeps packed weights from one load to the next; undefined where none are to be kept. */
  readonly kept: KeptWeights | undefined;
  /**
   * Runs the passes of precision `fast` over a program that writes to nothing but its buffers, or over one as it was
   * exported.
   */
  optimize(program: Program, isFunctional: boolean): OptimizedProgram;
  /** Prepares a program for a device other than that for which it may have been exported. */
  relocate(program: Program): Program;
  /** Lets nodes write new values of weights and buffers where the old ones are. */
  updateInPlace(committed: CommittedProgram): UpdatedProgram;
}

/** A program that can be run. */
export interface CompiledProgram {
  readonly program: Program;
  readonly plan: CompiledPlan;
  readonly hosts: HostNodes;
  readonly commits: readonly Commit[];
  /** Whether a run may change a weight or a buffer. */
  readonly writes: boolean;
  /** The weights and buffers by target. */
  readonly state: Map<string, NativeTensor>;
  readonly notes: readonly string[];
}

/** Refuses page-locked and shared memory, which PyTorch does not have without a device. */
function requirePageable(node: Node): void {
  if (!node.args.some(({ name, arg }) => name === "pin_memory" && arg.kind === "bool" && arg.value)) return;
  throw libtorchError("libtorch.argument", {
    what: `${node.op}: argument \`pin_memory\` needs memory that a GPU shares, and the device is cpu`,
    where: describeNode(node),
    advice: "export the program without pinned memory, or load it on the GPU that it was exported for",
  });
}

/**
 * Replaces a weight by a copy, whose memory no file, no user and no other model reads. It is made on the pool: an op
 * that computes with several threads on this one would leave OpenMP with threads to spare, which then sleep between
 * ops.
 */
async function own(target: string, state: Map<string, NativeTensor>, addon: Pick<Addon, "call">): Promise<void> {
  const tensor = state.get(target)!;
  const [copy] = await addon.call("aten::clone", [
    { name: "self", value: { kind: "tensor", tensor } },
    { name: "memory_format", value: { kind: "memory_format", value: "contiguous_format" } },
  ]);
  tensor.dispose();
  state.set(target, copy as NativeTensor);
}

/** Makes a program ready to run. A failure or an abort leaves nothing behind. */
export async function compileProgram(request: CompileRequest, options: CompileOptions): Promise<CompiledProgram> {
  const { weights, signal, onProgress } = request;
  const { addon, device, abilities } = options;
  const { router } = abilities;
  signal?.throwIfAborted();
  const examined = await abilities.examine(request.program);
  if (examined.missing.length > 0) throw unsupportedOps("libtorch", request.program, examined.missing);
  const inlined = examined.program;
  walk(inlined.graph, (node, { values }) => {
    // An op with a record was checked when the program was loaded.
    const schema = router.registry.resolve(node.op) === undefined ? router.dispatcher.schema(node.op) : null;
    if (schema !== null && router.routeOf(node).kind === "op") requireArguments(node, schema, values);
    if (device === "cpu") requirePageable(node);
  });
  const shared = isShared(inlined, weights);
  const memory = { isShared: shared, effectsOf: (op: OpName) => router.effectsOf(op) };
  // With precision `fast` a view reshapes where it cannot be one.
  const laid =
    request.precision === "exact" || looksBehindViews(inlined.graph) ? withRecordedStrides(inlined) : inlined;
  const { program: expanded, commits: all } = commitsOf(withWiderStates(expandProgram(laid, router), device), memory);
  const writes = writesState(expanded, {
    isOp: (node) => router.routeOf(node).kind === "op",
    effectsOf(op) {
      const schema = router.dispatcher.schema(op);
      return schema === null ? undefined : effectsOf({ schema });
    },
  });
  // The passes assume that what a program writes has memory of its own.
  const tied = [...writes.inPlace].some(shared);
  const exact = request.precision === "exact" || tied;
  if (!exact) await requireWritable(inlined, router.registry);
  const optimized = exact ? unoptimized(options.relocate(expanded)) : options.optimize(expanded, examined.functional);
  const { prologue, notes } = optimized;
  const updated = exact
    ? { program: optimized.program, commits: all, overwrites: new Set<Node>(), update: null, targets: [] }
    : options.updateInPlace(commitUpdates({ program: optimized.program, commits: all }, memory.effectsOf));
  const { commits, overwrites, update, targets } = updated;
  const program = withOwnResults(updated, memory.effectsOf);

  const made = new Set(prologue?.targets);
  const found = prologue === null ? undefined : await options.kept?.find(prologue, weights, { device, router });
  const rest = found === undefined ? prologue : found.rest;
  const needs = [...weightsReadBy(program, commits), ...(rest === null ? [] : weightsReadBy(rest.program))];
  const archived = needs.filter(({ target }) => !made.has(target));
  const bound = await bindWeights(archived, weights, { addon, device, onProgress, signal, mmap: options.mmap });
  const state = new Map<string, NativeTensor>();
  const targetOf = new Map(inlined.inputs.flatMap((spec) => ("target" in spec ? [[spec.value, spec.target]] : [])));
  const hosts = new HostNodes({
    addon,
    device,
    router,
    initial: (value) => {
      const tensor = state.get(targetOf.get(value) ?? "");
      return tensor && handlerTensor(tensor, tensor.bytes().slice());
    },
  });
  const given = new Map([...bound.tensors, ...(found?.tensors ?? [])]);
  for (const [target, tensor] of await runPrologue({ ...optimized, program, prologue: rest }, given, hosts, signal))
    state.set(target, tensor);
  signal?.throwIfAborted();
  const aboutKept = found === undefined ? [] : [await found.keep(state)];
  for (const target of targets) await own(target, state, addon);
  const plan = new CompiledPlan(program, boundValues(program, state), hosts, { overwrites, update, sparing: !exact });
  return { program, plan, hosts, commits, writes: writes.any, state, notes: [...notes, ...aboutKept] };
}
