import type { WasmKernel } from "../../engine/kernel.ts";
import { gather } from "./gather.ts";
import { indexPut, indexTensor } from "./index-tensor.ts";
import { scatter, scatterReduceAny, scatterReduceFloats, scatterSumInts } from "./scatter.ts";
import { embedding, indexSelect } from "./select-rows.ts";

/** Kernels of what tensors of positions choose. */
export const INDEX_KERNELS: readonly WasmKernel[] = [
  embedding,
  indexSelect,
  gather,
  scatter,
  scatterSumInts,
  scatterReduceFloats,
  scatterReduceAny,
  indexTensor,
  indexPut,
];
