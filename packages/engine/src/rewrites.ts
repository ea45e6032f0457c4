export { rewriteBranchSums } from "./rewrites/branch-sums.ts";
export { canonicalize } from "./rewrites/canonical.ts";
export { concatenatedChannels } from "./rewrites/concatenated-channels.ts";
export { distributeConcatenations } from "./rewrites/distribute-concatenations.ts";
export { fixedInputs } from "./rewrites/fixed-inputs.ts";
export { unflattenLinears } from "./rewrites/flat-linear.ts";
export { foldBatchNorms } from "./rewrites/fold-batch-norm.ts";
export { foldScales } from "./rewrites/fold-scale.ts";
export { recognizeGelu } from "./rewrites/gelu-tanh.ts";
export { sharedHeads } from "./rewrites/grouped-queries.ts";
export { keepInt8 } from "./rewrites/int8-linear.ts";
export {
  floatArg,
  intArg,
  intsArg,
  intsOf,
  isTrue,
  knownShape,
  NONE,
  numberOf,
  pairOf,
  textArg,
} from "./rewrites/literals.ts";
export { recompose } from "./rewrites/recompose.ts";
export {
  argsOf,
  given,
  type NewArgs,
  type RewriteContext,
  type RewriteRule,
  type RewriteRules,
  rewrite,
} from "./rewrites/rewriter.ts";
export { isFactory, purity, type RewriteTarget } from "./rewrites/target.ts";
export { dense, isSameShape, isSameSize, resultType, transposed } from "./rewrites/types.ts";
export { type WideningTarget, widenHalves } from "./rewrites/widen-halves.ts";
export {
  haveSameHeads,
  haveSharedHeads,
  recomposeAttention,
  type WrittenAttention,
  withHeads,
  withHeadsType,
  withoutHeads,
  writtenAttention,
} from "./rewrites/written-attention.ts";
