import type { WebgpuKernel } from "../../engine/kernel.ts";
import { assertion } from "./assert.ts";
import { gather } from "./gather.ts";
import { indexPut } from "./index-put.ts";
import { indexPutMask } from "./index-put-mask.ts";
import { indexTensor } from "./index-tensor.ts";
import { scatter, scatterReduce } from "./scatter.ts";
import { embedding, indexSelect } from "./select-rows.ts";

/** Reading and writing at computed positions. */
export const INDEXING: readonly WebgpuKernel[] = [
  gather,
  indexSelect,
  embedding,
  indexTensor,
  indexPut,
  indexPutMask,
  scatter,
  scatterReduce,
  assertion,
];
