import { Tensor } from "@pt2/backend";
import type { TensorMeta } from "@pt2/registry";
import { eagerError } from "./eager-errors.ts";

/** A tensor of a forward rule that is being traced: it has a shape and a dtype, and no elements. */
export class TracedTensor extends Tensor {
  readonly bytes = null;
  /** What the tensor is in the decomposition. */
  readonly meta: TensorMeta;

  constructor(meta: TensorMeta) {
    super(meta.dtype, meta.shape, "traced");
    this.meta = meta;
  }

  readBytes(): Promise<Uint8Array> {
    return Promise.reject(
      eagerError("eager.traced", {
        what: "A forward rule reads a tensor, but it is traced before there is data",
        advice: "write a handler for code that reads elements",
      }),
    );
  }

  dispose(): void {}
}
