import { inTurn } from "./aten/random/normal-in-turn.ts";
import type { OpSet } from "./op-set.ts";
import { rewritten } from "./quantized/narrow-operands.ts";
import { quantized } from "./quantized/quantized-ops.ts";
import { torchNn } from "./torch-nn/torch-nn-ops.ts";
import { transformers } from "./transformers/transformers-ops.ts";

/** The ops that are not in PyTorch's dispatcher, but in exports of well-known libraries, or what passes make of ops. */
export const libraries: readonly OpSet[] = [torchNn, transformers, quantized, rewritten, inTurn];
