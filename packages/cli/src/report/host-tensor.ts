import { HostTensor } from "@pt2/backend";
import type { TensorData } from "@pt2/format";

/** Converts a tensor of a file to one of the runtime. */
export function toHostTensor({ dtype, shape, bytes }: TensorData): HostTensor {
  return new HostTensor(dtype, shape, bytes);
}
