import type { OpSet } from "../op-set.ts";
import { COPYING_OPS } from "./copy/index.ts";
import { FACTORY_OPS } from "./factory/index.ts";
import { POINTWISE_OPS } from "./pointwise/index.ts";
import { SHAPE_OPS } from "./shape/index.ts";
import { SYMBOLIC_OPS } from "./symbolic/index.ts";
import { VIEW_OPS } from "./view/index.ts";

/** PyTorch's own ops, family by family. */
export const aten: OpSet = {
  name: "aten",
  ops: [...POINTWISE_OPS, ...VIEW_OPS, ...COPYING_OPS, ...FACTORY_OPS, ...SHAPE_OPS, ...SYMBOLIC_OPS],
};
