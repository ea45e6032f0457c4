import { Pt2Error } from "@pt2/format";
import { describeNode } from "@pt2/registry";
import { failedCheckCode } from "@pt2/registry/on-demand";
import { numbers } from "../../engine/element-access.ts";
import type { WasmKernel } from "../../engine/kernel.ts";

/** `_assert_async(self, assert_msg)`: the run fails where the only element of `self` is zero. */
export const assertion: WasmKernel = {
  ops: ["aten::_assert_async.msg"],
  prepare(call) {
    const self = call.tensor("self");
    const what = call.arg<string>("assert_msg");
    call.step(() => {
      if (numbers(call.heap, self).get(0) !== 0) return;
      throw new Pt2Error(failedCheckCode(call.call.node), {
        what,
        where: describeNode(call.call.node),
        advice: "Check the values that the program computes this from.",
      });
    });
  },
};
