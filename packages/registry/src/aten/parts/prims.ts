import type { OpRecord } from "../../op.ts";
import { CREATION_PRIMS } from "../prims/creation.ts";
import { ELEMENTWISE_PRIMS } from "../prims/elementwise.ts";
import { REDUCTION_PRIMS } from "../prims/reductions.ts";
import { SHAPE_PRIMS } from "../prims/shapes.ts";

/** Ops below those of ATen, which a program has that was decomposed with the table of PyTorch's own compiler. */
export const primsOps: readonly OpRecord[] = [
  ...ELEMENTWISE_PRIMS,
  ...REDUCTION_PRIMS,
  ...SHAPE_PRIMS,
  ...CREATION_PRIMS,
];
