import { type ModuleKernel, moduleKernel } from "@pt2/backend-wasm";
import { columnGeometry, deformedColumns, hasSmallWindow } from "../deformed-columns.ts";
import { MODULE } from "./module.ts";

/** The samples of a deformable convolution; the engine multiplies them with the weight. */
export const deformedColumnsKernel: ModuleKernel = moduleKernel({
  ops: [deformedColumns],
  module: MODULE,
  accepts: (call) => call.input.dtype === "float32" && !call.input.shape.includes(0) && hasSmallWindow(call),
  calls(call, [result], temporary) {
    const { input, offset, mask, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, use_mask } = call;
    const { batch, channels, height, width, offsetGroups, kernel, down, across } = columnGeometry(call);
    const map = temporary("float32", [batch, height, width, channels]);
    const zeros = temporary("float32", [channels / offsetGroups]);
    const sizes = [batch, channels, height, width, offsetGroups, ...kernel, down, across];
    const window = [stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w];
    return [
      ["transpose", input, map, batch, channels, height * width],
      ["deformedColumns", map, offset, mask, result, ...sizes, ...window, Number(use_mask), zeros],
    ];
  },
});
