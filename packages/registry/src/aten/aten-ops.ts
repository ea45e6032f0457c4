import type { OpSet } from "../op-set.ts";
import { arithmeticOps } from "./parts/arithmetic.ts";
import { commonOps } from "./parts/common.ts";
import { coreOps } from "./parts/core.ts";
import { foreachOps } from "./parts/foreach.ts";
import { indexedOps } from "./parts/indexed.ts";
import { primsOps } from "./parts/prims.ts";
import { randomOps } from "./parts/random.ts";
import { rareOps } from "./parts/rare.ts";
import { resamplingOps } from "./parts/resampling.ts";
import { sequenceOps } from "./parts/sequence.ts";
import { spectralOps } from "./parts/spectral.ts";
import { trainingOps } from "./parts/training.ts";
import { visionOps } from "./parts/vision.ts";
import { visionRareOps } from "./parts/vision-rare.ts";
import { withComplexRules } from "./pointwise/complex.ts";

const ops = [
  ...coreOps,
  ...visionOps,
  ...visionRareOps,
  ...resamplingOps,
  ...spectralOps,
  ...trainingOps,
  ...randomOps,
  ...indexedOps,
  ...arithmeticOps,
  ...sequenceOps,
  ...commonOps,
  ...rareOps,
  ...primsOps,
  ...foreachOps,
];

/** PyTorch's own ops, all loaded. */
export const aten: OpSet = { name: "aten", builtIn: true, ops: withComplexRules(ops) };
