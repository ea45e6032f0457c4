import { failedCheckCode } from "@pt2/registry/on-demand";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";

/** `_assert_async(self, assert_msg)`: the run fails where the only element of `self` is zero. */
export const assertion: WebgpuKernel = webgpuKernel({
  ops: ["aten::_assert_async.msg"],
  prepare(call, { self, assert_msg: message }) {
    const shader = call.shader("assert").read("holds", call.tensor(self));
    shader.guard({ code: failedCheckCode(call.call.node), what: () => message });
    shader.forEach(1, "if (!bool(holds(i))) { fail(0); }");
  },
});
