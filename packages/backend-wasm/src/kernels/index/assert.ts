import { Pt2Error } from "@pt2/format";
import { describeNode } from "@pt2/registry";
import { failedCheckCode } from "@pt2/registry/on-demand";
import { numbers } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";

/** `_assert_async(self, assert_msg)`: the run fails where the only element of `self` is zero. */
export const assertion: WasmKernel = wasmKernel({
  ops: ["aten::_assert_async.msg"],
  prepare(call, args) {
    const self = call.tensor(args.self);
    call.step(() => {
      if (numbers(call.heap, self).get(0) !== 0) return;
      throw new Pt2Error(failedCheckCode(call.call.node), {
        what: args.assert_msg,
        where: describeNode(call.call.node),
        advice: "Check the values that the program computes this from.",
      });
    });
  },
});
