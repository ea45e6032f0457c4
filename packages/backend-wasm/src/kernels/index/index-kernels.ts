import type { WasmKernel } from "../../engine/kernel.ts";
import { flip } from "../copy/flip.ts";
import { gather } from "./gather.ts";
import { indexPutMask } from "./index-put-mask.ts";
import { indexPut, indexTensor } from "./index-tensor.ts";
import { scatter, scatterReduce } from "./scatter.ts";
import { embedding, indexSelect } from "./select-rows.ts";

/** Kernels of what tensors of positions choose, and of elements in reverse order. */
export const INDEX_KERNELS: readonly WasmKernel[] = [
  embedding,
  indexSelect,
  gather,
  scatter,
  scatterReduce,
  indexTensor,
  indexPut,
  indexPutMask,
  flip,
];
