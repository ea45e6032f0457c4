import type { OpSet } from "@pt2/registry";
import { gate } from "./ops/gate.ts";
import { gelu } from "./ops/gelu.ts";
import { layerNorm } from "./ops/layer-norm.ts";
import { mish } from "./ops/mish.ts";
import { power } from "./ops/power.ts";
import { swish } from "./ops/swish.ts";

/** What `load` takes: `load("custom-ops.pt2", { backend, ops: [demo] })`. */
export const demo: OpSet = {
  name: "demo-ops",
  version: "0.1.0",
  apiVersion: 1,
  ops: [swish, gelu, mish, power, layerNorm, gate],
};
