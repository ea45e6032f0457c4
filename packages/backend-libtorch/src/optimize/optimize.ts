import {
  canonicalize,
  distributeConcatenations,
  foldBatchNorms,
  foldScales,
  recognizeGelu,
  recompose,
  rewriteBranchSums,
  unflattenLinears,
  widenHalves,
} from "@pt2/engine/rewrites";
import { Pt2Error } from "@pt2/format";
import { argOf, type Program, stats } from "@pt2/graph";
import { looksBehindViews, removeNoOps } from "@pt2/graph/passes";
import { separateUpdates } from "../encode/separate-updates.ts";
import { type OptimizedProgram, unoptimized } from "../optimized-program.ts";
import { dropCopies } from "./drop-copies.ts";
import { expandEinsums } from "./expand-einsum.ts";
import { expandGatedUnits } from "./expand-gated-units.ts";
import { expandShortSums } from "./expand-short-sums.ts";
import { foldConstants } from "./fold-constants.ts";
import { hasClaimedWrites, makeFunctional } from "./functional.ts";
import { fuseAttention } from "./fuse-attention.ts";
import { fuseEpilogues } from "./fuse-epilogues.ts";
import { fusePointwise } from "./fuse-pointwise.ts";
import { fusePreactivations } from "./fuse-preactivation.ts";
import { lowerBatchNorms } from "./lower-batch-norm.ts";
import { lowerConvolutions } from "./lower-convolution.ts";
import { lowerVideoConvolutions } from "./lower-convolution-3d.ts";
import { lowerDropIns } from "./lower-drop-ins.ts";
import { lowerGroupNorms } from "./lower-group-norm.ts";
import { lowerInt8Linears } from "./lower-int8-linear.ts";
import { lowerLayerNorms } from "./lower-layer-norm.ts";
import { lowerLinears } from "./lower-linear.ts";
import { lowerMatmuls } from "./lower-matmul.ts";
import { lowerPooling } from "./lower-pooling.ts";
import { lowerRecurrent } from "./lower-recurrent.ts";
import { lowerRecurrentCells } from "./lower-recurrent-cell.ts";
import { lowerSoftmax } from "./lower-softmax.ts";
import { lowerTransposedConvolutions } from "./lower-transposed-convolution.ts";
import { lowerUpsampling } from "./lower-upsampling.ts";
import { cancelConversions, narrowWeights } from "./narrow-weights.ts";
import { restoreDrawn } from "./restore-drawn.ts";
import { restoreLayouts } from "./restore-layouts.ts";
import { roundHalves } from "./round-halves.ts";
import { fuseSqueezeExcite } from "./squeeze-excite.ts";
import { isOwnOp, type OptimizeTarget } from "./target.ts";

type Pass = (program: Program, target: OptimizeTarget) => Program;

/**
 * The passes in order: first those that make patterns alike, then those that recognize them, then those that depend on
 * the
 * chosen ops.
 */
const PASSES: readonly Pass[] = [
  (program, { isClaimed }) => removeNoOps(program, { isClaimed }),
  widenHalves,
  dropCopies,
  // Before others make one weight of a dequantized one and a factor.
  lowerInt8Linears,
  expandEinsums,
  canonicalize,
  recompose,
  unflattenLinears,
  recognizeGelu,
  expandShortSums,
  expandGatedUnits,
  distributeConcatenations,
  foldBatchNorms,
  rewriteBranchSums,
  foldScales,
  fuseSqueezeExcite,
  fuseAttention,
  narrowWeights,
  lowerBatchNorms,
  lowerConvolutions,
  lowerVideoConvolutions,
  lowerTransposedConvolutions,
  lowerLinears,
  lowerMatmuls,
  lowerLayerNorms,
  lowerRecurrent,
  lowerRecurrentCells,
  fuseEpilogues,
  fusePreactivations,
  lowerGroupNorms,
  lowerPooling,
  lowerSoftmax,
  // Those before ops that take any layout now.
  dropCopies,
  lowerUpsampling,
  cancelConversions,
  roundHalves,
  restoreLayouts,
  lowerDropIns,
];

/**
 * Precision `fast`: fuses, packs weights, and reorders what float32 addition does not promise the order of. Elements of
 * a result stay within 1e-4 of PyTorch eager's, relative to the largest of that result.
 *
 * `isFunctional`: the program is functional already, whatever the names of its ops suggest.
 */
export function optimize(program: Program, target: OptimizeTarget, isFunctional = false): OptimizedProgram {
  const claimed = !isFunctional && hasClaimedWrites(program, target);
  // The passes keep elements, and not where they are in memory.
  if (looksBehindViews(program.graph)) return unoptimized(program);
  const functional = isFunctional ? program : claimed ? null : functionalForm(program, target);
  // What was copied into a memory may lie otherwise in its own.
  if (functional === null || looksBehindViews(functional.graph)) return unoptimized(program);
  const rewritten = PASSES.reduce((current, pass) => pass(current, target), functional);
  const { program: folded, prologue } = foldConstants(restoreDrawn(rewritten, functional), target);
  const main = updatedAtOnce(fusePointwise(folded, target), target);
  return { program: main, prologue, notes: notesOn(program, main, prologue) };
}

/** The updates of buffers that a functional program ends with: what came to be in the memory of one is copied before. */
function updatedAtOnce(program: Program, { effectsOf }: OptimizeTarget): Program {
  const state = new Set(program.inputs.flatMap((spec) => ("target" in spec ? [spec.value] : [])));
  const nodes = program.graph.nodes.filter((node) => {
    const self = argOf(node, "self");
    return node.op === "aten::copy_" && self?.kind === "value" && state.has(self.name);
  });
  // The passes assume that weights share no memory.
  return separateUpdates(program, { nodes, effectsOf, isShared: () => false });
}

/** Returns null for a program that cannot be made functional because it writes to a constant. */
function functionalForm(program: Program, target: OptimizeTarget): Program | null {
  try {
    return makeFunctional(program, target);
  } catch (problem) {
    if (problem instanceof Pt2Error) return null;
    throw problem;
  }
}

function notesOn(before: Program, { graph }: Program, prologue: OptimizedProgram["prologue"]): readonly string[] {
  const fused = stats(graph).filter(({ op }) => isOwnOp(op));
  const folded = prologue?.program.graph.nodes.length ?? 0;
  return [
    `${before.graph.nodes.length} nodes became ${graph.nodes.length}; ${folded} run once, at load`,
    ...fused.map(({ op, count }) => `${count} × ${op}`),
  ];
}
