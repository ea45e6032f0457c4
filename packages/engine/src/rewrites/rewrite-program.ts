import { type Program, stats } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import type { WideningTarget } from "./widen-halves.ts";

type Pass = (program: Program, target: WideningTarget) => Program;

const NORMALIZATION = /^aten::(batch_norm|_native_batch_norm_legit_no_training)$/;

/** Attention, and the products that it may be written as. */
const ATTENTION = /^aten::(scaled_dot_product_attention|bmm)$/;

const DEQUANTIZATION =
  /^(torchao::dequantize_affine|quantized_decomposed::dequantize_per_channel|aten::(to\.dtype|_to_copy))$/;

interface PassOnDemand {
  /** Ops that it emits, if the registry has their records, and the program need not have. */
  readonly emits?: readonly string[];
  readonly load: () => Promise<Pass>;
}

/** The pass for dtypes that a backend computes in float32: the first, since others recognize ops and not conversions. */
const WIDENING: PassOnDemand = {
  emits: ["aten::to.dtype", "aten::t", "pt2::linear_half"],
  load: async () => (await import("./widen-halves.ts")).widenHalves,
};

/** The pass for what the first one has converted. */
const HALF_KEYS: PassOnDemand = {
  emits: ["pt2::attention_half"],
  load: async () => (await import("./half-keys.ts")).keepHalfKeys,
};

/** Passes for backends that lower programs, which load if the program has an op of each kind. */
const PASSES: readonly (PassOnDemand & { readonly about: readonly RegExp[] })[] = [
  // First, as others make one weight of the dequantized one and a factor.
  {
    about: [DEQUANTIZATION, /^aten::(linear|mm|addmm)$/],
    emits: ["pt2::linear_int8"],
    load: async () => (await import("./int8-linear.ts")).keepInt8,
  },
  {
    about: [/^aten::(addmm|mm|bmm|clamp|sigmoid|tanh|max_pool2d_with_indices)$/],
    load: async () => (await import("./recompose-program.ts")).recomposeProgram,
  },
  {
    about: [ATTENTION, /^aten::(expand|repeat_interleave\.self_int)$/],
    load: async () => (await import("./grouped-queries.ts")).groupQueries,
  },
  { about: [/^aten::cat$/], load: async () => (await import("./concatenations.ts")).rewriteConcatenations },
  { about: [NORMALIZATION], load: async () => (await import("./fold-batch-norm.ts")).foldBatchNorms },
  {
    about: [NORMALIZATION, /^aten::(add|sub)\.Tensor$/],
    load: async () => (await import("./branch-sums.ts")).rewriteBranchSums,
  },
];

function hasValues({ graph }: Program, dtypes: WideningTarget["widened"]): boolean {
  return [...graph.values.values()].some((type) => type.kind === "tensor" && dtypes?.has(type.dtype));
}

/**
 * Loads the records of a program's ops, and rewrites the program to the form that a backend which lowers it runs
 * fastest. With `exact` it stays as it is: rewrites change bits.
 */
export async function rewriteProgram(
  program: Program,
  registry: OpRegistry,
  backend: { readonly name: string; readonly exact: boolean; readonly widened?: WideningTarget["widened"] },
): Promise<Program> {
  const ops = stats(program.graph).map(({ op }) => op);
  const { widened } = backend;
  const isWidened = hasValues(program, widened);
  const wanted = backend.exact
    ? []
    : [
        ...(isWidened ? [WIDENING] : []),
        ...PASSES.filter(({ about }) => about.every((kind) => ops.some((op) => kind.test(op)))),
        ...(isWidened && ops.some((op) => ATTENTION.test(op)) ? [HALF_KEYS] : []),
      ];
  if (wanted.length === 0) {
    await registry.load(ops);
    return program;
  }
  const emitted = wanted.flatMap(({ emits = [] }) => emits);
  const [{ purity }, passes] = await Promise.all([
    import("./target.ts"),
    Promise.all(wanted.map(({ load }) => load())),
    registry.load([...ops, ...emitted]),
  ]);
  const has = (op: string): boolean =>
    !registry.isReplaced(op) && (!emitted.includes(op) || registry.resolve(op) !== undefined);
  const target: WideningTarget = {
    widened,
    readsHalves: has("pt2::linear_half") && has("aten::t"),
    recordOf: (op) => registry.resolve(op),
    has,
    isClaimed: (op) => registry.isClaimed(op) || registry.hasKernel(op, backend.name),
    isPure: purity(registry),
  };
  const rewritten = passes.reduce((current, pass) => pass(current, target), program);
  if (rewritten !== program) await registry.load(stats(rewritten.graph).map(({ op }) => op));
  return rewritten;
}
