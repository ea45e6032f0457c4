import type { HostData } from "@pt2/backend/staged";
import { DTYPES, type DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { Adapter } from "../../engine/adapter.ts";
import { isSame } from "../../engine/element-bytes.ts";
import type { WebgpuKernel } from "../../engine/kernel.ts";

/**
 * `view.dtype`: the same bytes as another dtype. A view where the GPU stores both as they are, in as many bytes; else the
 * host looks at the bytes, which are not the GPU's own.
 */
export const reinterpret: WebgpuKernel = {
  ops: ["aten::view.dtype"],
  prepare(call) {
    const self = call.tensor("self");
    const { dtype } = call.call.results[0] as TensorMeta;
    if (isStoredAs(self.dtype, dtype, call.adapter)) {
      call.alias(0, { ...self, dtype });
      return;
    }
    const out = call.output();
    const run = ([from]: readonly HostData[]): readonly HostData[] => [{ ...out, bytes: from!.bytes }];
    call.host({ name: "aten::view.dtype", reads: [self], writes: [out], run });
  },
};

function isStoredAs(from: DType, to: DType, adapter: Adapter): boolean {
  if (from === to) return true;
  return isSame(from, adapter) && isSame(to, adapter) && DTYPES[from].itemsize === DTYPES[to].itemsize;
}
