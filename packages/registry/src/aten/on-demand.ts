import type { OpRecord } from "../op.ts";
import type { OpSet, Part } from "../op-set.ts";
import { deferComplexRules, loadComplexRules } from "./pointwise/defer-complex.ts";

const PYTORCH = /^aten::/;

/**
 * Nearly all of these ops are convolutions, batch norms and pools, which are in one part; another part has the rest.
 */
const VISION = /^aten::(renorm|(?!fractional)\w*(conv|batch_norm|instance_norm|pool\dd))(?!\w*backward)/;

const TRAINING = /^aten::(?!_fake_quantize)\w*(_backward|_loss|kl_div|binary_cross_entropy)/;

const RANDOM =
  /^aten::(rand|bernoulli|(log_)?normal(_functional)?(\.|$)|(uniform|exponential|cauchy|geometric|poisson|binomial|multinomial)(\.|$)|_standard_gamma|_sample_dirichlet|rrelu(?!_with_noise_backward))/;

const INDEXED =
  /^aten::(gather|take(_along_dim)?|index_(select|add_?|copy_?|fill_?|reduce_?)|scatter(_add|_reduce)?_?)(\.|$)/;

const PARTS: readonly Part<OpRecord>[] = [
  // Every program needs this part: everything decomposes into it.
  { ops: PYTORCH, load: async () => (await import("./parts/core.ts")).coreOps },
  // The families that names identify.
  { ops: VISION, load: async () => (await import("./parts/vision.ts")).visionOps },
  { ops: VISION, load: async () => (await import("./parts/vision-rare.ts")).visionRareOps },
  {
    ops: /^aten::\w*(upsample|grid_sampler|affine_grid|pixel_(un)?shuffle|channel_shuffle)/,
    load: async () => (await import("./parts/resampling.ts")).resamplingOps,
  },
  { ops: TRAINING, load: async () => (await import("./parts/training.ts")).trainingOps },
  { ops: /^aten::(_?fft_|i?stft)/, load: async () => (await import("./parts/spectral.ts")).spectralOps },
  { ops: RANDOM, load: async () => (await import("./parts/random.ts")).randomOps },
  { ops: INDEXED, load: async () => (await import("./parts/indexed.ts")).indexedOps },
  { ops: /^aten::_foreach_/, load: async () => (await import("./parts/foreach.ts")).foreachOps },
  // The other ops: frequent ones before rare ones.
  { ops: PYTORCH, load: async () => (await import("./parts/arithmetic.ts")).arithmeticOps },
  { ops: PYTORCH, load: async () => (await import("./parts/sequence.ts")).sequenceOps },
  { ops: PYTORCH, load: async () => (await import("./parts/common.ts")).commonOps },
  { ops: PYTORCH, load: async () => (await import("./parts/rare.ts")).rareOps },
  { ops: /^prims::/, load: async () => (await import("./parts/prims.ts")).primsOps },
];

/**
 * One op of each part that nearly all networks need. Where code is at hand, these parts can load before a program says so:
 * one after the other, behind the reads of weights, they would take a tenth of a load.
 */
export const FREQUENT_OPS: readonly string[] = [
  "aten::add.Tensor",
  "aten::convolution",
  "aten::_softmax",
  "aten::layer_norm",
];

/**
 * PyTorch's own ops, and those of well-known libraries in exported programs, which load when a program or a
 * decomposition needs them: a page that runs an image classifier does not download linear algebra. `lower` loads what
 * it needs; code that resolves ops itself calls `load` of the registry first.
 */
export const atenOnDemand: readonly OpSet[] = [
  {
    name: "aten",
    builtIn: true,
    ops: [],
    parts: PARTS.map(({ ops, load }) => ({ ops, load: async () => deferComplexRules(await load()) })),
    loadRules: loadComplexRules,
  },
  {
    name: "torch_nn",
    builtIn: true,
    ops: [],
    parts: [{ ops: /^torch_nn::/, load: async () => (await import("../torch-nn/torch-nn-ops.ts")).torchNn.ops }],
  },
  {
    name: "transformers",
    builtIn: true,
    ops: [],
    parts: [
      {
        ops: /^transformers::/,
        load: async () => (await import("../transformers/transformers-ops.ts")).transformers.ops,
      },
    ],
  },
  {
    name: "quantized",
    builtIn: true,
    ops: [],
    parts: [
      {
        ops: /^(quantized_decomposed|torchao)::/,
        load: async () => (await import("../quantized/quantized-ops.ts")).quantized.ops,
      },
    ],
  },
  {
    name: "pt2",
    builtIn: true,
    ops: [],
    parts: [
      {
        ops: /^pt2::(linear_|attention_half$)/,
        load: async () => (await import("../quantized/narrow-operands.ts")).rewritten.ops,
      },
      { ops: /^pt2::(normal|multinomial)$/, load: async () => (await import("./random/normal-in-turn.ts")).inTurn.ops },
    ],
  },
];
