import type { LibtorchSources } from "@pt2/backend-libtorch/node";
import { torchvision } from "../index.ts";

// From here it is as far to the package's folder as from the modules that are built of this one.
const inNative = (file: string): URL => new URL(`../../native/${file}`, import.meta.url);

const UNITS = ["nms", "roi-align", "roi-pool", "ps-roi-align", "ps-roi-pool", "deform-conv2d"];
/** What checks the arguments of a deformable convolution, on every device. */
const CHECKS = inNative("deformed.cc");

/**
 * The kernels in C++ and CUDA, on PyTorch's stable ABI. Products and sums are rounded one by one, as in torchvision's own
 * build for CPUs, so that the bits are the same on processors that could do both at once.
 */
export const sources: LibtorchSources = {
  ops: torchvision.ops.map(({ name }) => name).filter((name) => name.startsWith("torchvision::")),
  sources: [...UNITS.map((name) => inNative(`${name}.cc`)), CHECKS],
  flags: ["-O3", "-ffp-contract=off"],
  oldest: "2.11",
  cuda: { sources: [...UNITS.map((name) => inNative(`cuda/${name}.cu`)), CHECKS], flags: ["--fmad=false"] },
};
