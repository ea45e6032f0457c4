import { connectionistLoss } from "../host/ctc.ts";
import { hostArray, hostData } from "../host/host-array.ts";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";

/** `_ctc_loss` with lengths as tensors: its second result is as wide as the longest target asks for. */
export const ctcLoss: DynamicKernel = dynamicKernel(["aten::_ctc_loss.Tensor"], (args) => {
  const [log_probs, targets] = [hostArray(args.log_probs), hostArray(args.targets)];
  const lengths = {
    input_lengths: hostArray(args.input_lengths).data,
    target_lengths: hostArray(args.target_lengths).data,
  };
  // Of a length that no target has the loss is refused.
  const longest = lengths.target_lengths.reduce((most, length) => Math.max(most, length), 0);
  const width = 2 * Math.min(longest, targets.shape.at(-1) ?? 0) + 1;
  const { losses, alpha } = connectionistLoss({ log_probs, targets, ...lengths, blank: args.blank }, width);
  const [steps, batch] = log_probs.shape as readonly [number, number];
  const { dtype } = args.log_probs;
  return [hostData({ dtype, shape: [batch] }, losses), hostData({ dtype, shape: [batch, steps, width] }, alpha)];
});
