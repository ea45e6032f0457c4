import { numel } from "@pt2/format";
import { defineOp } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "./engine/kernel.ts";

/** The kernel that the conformance suite needs. */
export const twiceKernel: WebgpuKernel = webgpuKernel({
  ops: [defineOp("mine::twice(Tensor self) -> Tensor")],
  fuses: true,
  prepare(call, args) {
    const self = call.tensor(args.self);
    const count = numel(self.shape);
    const shader = call.shader("twice").read("x", self);
    shader.result("out");
    shader.forEach(count, "set_out(i, 2.0 * x(i));");
  },
});
