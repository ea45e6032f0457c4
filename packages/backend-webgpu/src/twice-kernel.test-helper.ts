import { numel } from "@pt2/format";
import type { WebgpuKernel } from "./engine/kernel.ts";

/** The kernel that the conformance suite needs. */
export const twiceKernel: WebgpuKernel = {
  ops: ["mine::twice"],
  fuses: true,
  prepare(call) {
    const self = call.tensor("self");
    const count = numel(self.shape);
    const shader = call.shader("twice").read("x", self);
    shader.result("out");
    shader.forEach(count, "set_out(i, 2.0 * x(i));");
  },
};
