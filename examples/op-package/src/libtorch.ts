import { fileURLToPath } from "node:url";
import type { OpSet } from "@pt2/registry";
import { scan as portable } from "./index.ts";

const library = fileURLToPath(new URL("scan.so", import.meta.url));

/** The op with a kernel for libtorch on CPUs, which `npm run build:libtorch` compiles for any torch from 2.11 on. */
export const scan: OpSet = { ...portable, kernels: { libtorch: [{ library }] } };
