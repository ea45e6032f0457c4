import { connectionistLoss } from "../host/ctc.ts";
import { hostArray, hostData } from "../host/host-array.ts";
import type { DynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";

/** `_ctc_loss` with lengths as tensors: its second result is as wide as the longest target asks for. */
export const ctcLoss: DynamicKernel = {
  ops: ["aten::_ctc_loss.Tensor"],
  run(args) {
    const [log_probs, targets, input_lengths, target_lengths] = [
      "log_probs",
      "targets",
      "input_lengths",
      "target_lengths",
    ].map((name) => hostArray(args[name] as HostData));
    const lengths = { input_lengths: input_lengths!.data, target_lengths: target_lengths!.data };
    // Of a length that no target has the loss is refused.
    const longest = lengths.target_lengths.reduce((most, length) => Math.max(most, length), 0);
    const width = 2 * Math.min(longest, targets!.shape.at(-1) ?? 0) + 1;
    const blank = Number(args["blank"]);
    const { losses, alpha } = connectionistLoss({ log_probs: log_probs!, targets: targets!, ...lengths, blank }, width);
    const [steps, batch] = log_probs!.shape as readonly [number, number];
    const { dtype } = args["log_probs"] as HostData;
    return [hostData({ dtype, shape: [batch] }, losses), hostData({ dtype, shape: [batch, steps, width] }, alpha)];
  },
};
