import type { OpSet } from "./op-set.ts";
import { quantized } from "./quantized/index.ts";
import { torchNn } from "./torch-nn/index.ts";
import { transformers } from "./transformers/index.ts";

/** Ops that are not PyTorch's dispatcher's own, and that exports of its best-known libraries contain. */
export const libraries: readonly OpSet[] = [torchNn, transformers, quantized];
