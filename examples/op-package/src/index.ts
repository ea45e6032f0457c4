import type { OpSet } from "@pt2/registry";
import { linearRecurrence } from "./linear-recurrence.ts";

export { linearRecurrence };

/** The op by its decomposition, on any backend. `pt2-scan/wasm`, `/webgpu` and `/libtorch` have it with kernels. */
export const scan: OpSet = { name: "pt2-scan", version: "0.1.0", apiVersion: 1, ops: [linearRecurrence] };
