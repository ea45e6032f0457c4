import type { DynamicKernel } from "../staged/dynamic-kernel.ts";
import { bincount, oneHot, repeatPositions, repeatSlices } from "./counting.ts";
import { ctcLoss } from "./ctc.ts";
import { equal, isNonzero, item } from "./item.ts";
import { indexMask, maskedSelect } from "./masks.ts";
import { nonzero, where } from "./nonzero.ts";
import { print } from "./print.ts";
import { tensorSplit } from "./split.ts";
import { unique, uniqueConsecutive, uniqueDim, uniqueDimConsecutive } from "./unique.ts";

const KERNELS: readonly DynamicKernel[] = [
  item,
  equal,
  isNonzero,
  nonzero,
  where,
  maskedSelect,
  indexMask,
  unique,
  uniqueDim,
  uniqueConsecutive,
  uniqueDimConsecutive,
  bincount,
  repeatPositions,
  repeatSlices,
  oneHot,
  tensorSplit,
  ctcLoss,
  print,
];

/** The kernels of ops whose result sizes depend on data, by op. */
export const DYNAMIC_KERNELS: ReadonlyMap<string, DynamicKernel> = new Map(
  KERNELS.flatMap((kernel) => kernel.ops.map((op) => [op, kernel] as const)),
);
