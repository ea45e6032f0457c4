import type { OpSet } from "../op-set.ts";
import { commonOps } from "./parts/common.ts";
import { coreOps } from "./parts/core.ts";
import { rareOps } from "./parts/rare.ts";
import { resamplingOps } from "./parts/resampling.ts";
import { sequenceOps } from "./parts/sequence.ts";
import { spectralOps } from "./parts/spectral.ts";
import { visionOps } from "./parts/vision.ts";
import { visionRareOps } from "./parts/vision-rare.ts";
import { withComplexRules } from "./pointwise/complex.ts";

/** PyTorch's own ops. */
export const aten: OpSet = {
  name: "aten",
  ops: withComplexRules([
    ...coreOps,
    ...visionOps,
    ...visionRareOps,
    ...resamplingOps,
    ...spectralOps,
    ...sequenceOps,
    ...commonOps,
    ...rareOps,
  ]),
};
