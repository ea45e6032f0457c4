import { numel } from "@pt2/backend";
import { broadcastPositions, selectElements } from "@pt2/engine";
import { adder, mover } from "../../engine/element-access.ts";
import { readView } from "../../engine/host-copy.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";

/** `index_put(self, indices, values, accumulate)` with a mask among the indices: only a run knows what is written. */
export const indexPutMask: WasmKernel = wasmKernel({
  ops: ["aten::index_put"],
  // The record writes `x[mask] = number` as an elementwise choice, which needs no positions.
  accepts: ({ indices: [first, ...rest], values }) =>
    first === null || rest.some((index) => index !== null) || numel(values.shape) !== 1,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const out = call.output();
    call.copy(self, out);
    const values = call.dense(call.tensor(args.values));
    const indices = args.indices.map((index) => call.optional(index));
    const { heap } = call;
    call.step(() => {
      const given = indices.map(
        (view) => view && { dtype: view.dtype, shape: view.shape, bytes: readView(heap, view) },
      );
      const { shape, offsets } = selectElements(out.shape, out.strides, given);
      const sources = broadcastPositions(values.shape, shape);
      const put = (args.accumulate ? adder : mover)(heap, values, out);
      for (const [i, to] of offsets.entries()) put(sources[i]!, to);
    });
  },
});
