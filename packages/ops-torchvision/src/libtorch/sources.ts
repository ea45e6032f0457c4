import type { LibtorchSources } from "@pt2/backend-libtorch/node";
import { torchvision } from "../index.ts";

const UNITS = ["nms", "roi-align", "roi-pool", "ps-roi-align", "ps-roi-pool", "deformed", "deform-conv2d"];

/**
 * The kernels in C++, on PyTorch's stable ABI. Products and sums are rounded one by one, as in torchvision's own build, so
 * that the bits are the same on processors that could do both at once.
 */
export const sources: LibtorchSources = {
  ops: torchvision.ops.map(({ name }) => name).filter((name) => name.startsWith("torchvision::")),
  // From here it is as far to the package's folder as from the modules that are built of this one.
  sources: UNITS.map((name) => new URL(`../../native/${name}.cc`, import.meta.url)),
  flags: ["-O3", "-ffp-contract=off"],
  oldest: "2.11",
};
