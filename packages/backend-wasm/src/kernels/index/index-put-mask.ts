import { broadcastPositions, selectElements } from "@pt2/engine";
import { adder, mover } from "../../engine/element-access.ts";
import { readView } from "../../engine/host-copy.ts";
import type { WasmKernel } from "../../engine/kernel.ts";

/** `index_put(self, indices, values, accumulate)` where some index is a mask: what is written only a run can tell. */
export const indexPutMask: WasmKernel = {
  ops: ["aten::index_put"],
  prepare(call) {
    const self = call.tensor("self");
    const out = call.output();
    call.copy(self, out);
    const values = call.dense(call.tensor("values"));
    const indices = call.tensorList("indices");
    const accumulate = call.arg<boolean>("accumulate");
    const { heap } = call;
    call.step(() => {
      const given = indices.map(
        (view) => view && { dtype: view.dtype, shape: view.shape, bytes: readView(heap, view) },
      );
      const { shape, offsets } = selectElements(out.shape, out.strides, given);
      const sources = broadcastPositions(values.shape, shape);
      const put = (accumulate ? adder : mover)(heap, values, out);
      for (const [i, to] of offsets.entries()) put(sources[i]!, to);
    });
  },
};
