import type { OpRecord } from "../../op.ts";
import { COMPLEX_OPS } from "./complex.ts";
import { copyTwins } from "./copy-twin.ts";
import { withViewGradients } from "./gradients.ts";
import { PERMUTE_OPS } from "./permute.ts";
import { RESHAPE_OPS } from "./reshape.ts";
import { SPLIT_OPS } from "./split.ts";

/** Views: geometry over the same storage. */
export const VIEW_OPS: readonly OpRecord[] = [
  ...withViewGradients([...RESHAPE_OPS, ...PERMUTE_OPS, ...SPLIT_OPS]),
  ...COMPLEX_OPS,
  ...copyTwins([...RESHAPE_OPS, ...PERMUTE_OPS]),
];
