import type { OpSet } from "./op-set.ts";
import { quantized } from "./quantized/index.ts";
import { torchNn } from "./torch-nn/index.ts";
import { transformers } from "./transformers/index.ts";

/** The ops that are not in PyTorch's dispatcher, but in exports of well-known libraries. */
export const libraries: readonly OpSet[] = [torchNn, transformers, quantized];
