import { hostTensor, viewAs } from "@pt2/backend";
import type { TensorData } from "@pt2/format";
import type { HostTensor } from "@pt2/runtime";

/** Converts a tensor of a file to one of the runtime. */
export function toHostTensor({ dtype, shape, bytes }: TensorData): HostTensor {
  return hostTensor(dtype, shape, viewAs(dtype, bytes));
}
