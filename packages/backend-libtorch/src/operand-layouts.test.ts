import type { HostTensor, Tensor } from "@pt2/backend";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";
import { random } from "./random.test-helper.ts";

describeWithLibtorch("operands in the order that a kernel reads", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { threads: 1 });
  const call = (op: string, args: OpArgs): readonly Tensor[] =>
    backend.callSync(op as "aten::add.Tensor", args) as readonly Tensor[];
  const [rows, gradient] = [random([2, 4, 5, 3]), random([2, 4, 5, 3], 2)];
  const last = (self: Tensor): Tensor => call("aten::contiguous", { self, memory_format: "channels_last" })[0]!;
  const permuted = (self: Tensor): Tensor => {
    const [other] = call("aten::transpose.int", { self, dim0: 1, dim1: 3 });
    const [dense] = call("aten::clone", { self: other!, memory_format: "contiguous_format" });
    return call("aten::transpose.int", { self: dense!, dim0: 1, dim1: 3 })[0]!;
  };
  const layouts = { "row-major": (x: Tensor): Tensor => x, "channels last": last, permuted };
  const sizes = { N: 2, C: 4, HxW: 15, group: 2 };
  const weight = random([4], 3);
  const elements = (tensors: readonly Tensor[]): readonly (readonly number[])[] =>
    tensors.map((tensor) => elementsOf(tensor as HostTensor).map(Number));
  const expectClose = (found: readonly Tensor[], right: readonly Tensor[]): void => {
    const [a, b] = [elements(found).flat(), elements(right).flat()];
    for (const [i, value] of b.entries()) expect(a[i]).toBeCloseTo(value, 5);
  };

  it.each(Object.entries(layouts))("group norm of %s images", (_, layout) => {
    const args = { weight, bias: null, ...sizes, eps: 1e-5 };
    const right = call("aten::native_group_norm", { input: rows, ...args });
    expectClose(call("aten::native_group_norm", { input: layout(rows), ...args }), right);
    const back = { mean: right[1]!, rstd: right[2]!, weight, ...sizes, output_mask: [true, true, true] };
    const expected = call("aten::native_group_norm_backward", { grad_out: gradient, input: rows, ...back });
    for (const other of Object.values(layouts)) {
      const given = { grad_out: other(gradient), input: layout(rows), ...back };
      expectClose(call("aten::native_group_norm_backward", given), expected);
    }
  });

  it("batch norm of images with a size of 1, whose strides fit two orders", () => {
    const sizes = [1, 4, 5, 1];
    const [flat, flatGradient] = [random([20], 4), random([20], 5)];
    const strided = (self: Tensor): Tensor =>
      call("aten::as_strided", { self, size: sizes, stride: [20, 1, 4, 1] })[0]!;
    const dense = (self: Tensor): Tensor =>
      call("aten::clone", { self: strided(self), memory_format: "contiguous_format" })[0]!;
    const gradients = (input: Tensor, grad_out: Tensor): readonly Tensor[] => {
      const [, mean, invstd] = call("aten::native_batch_norm", {
        ...{ input, weight, bias: null, running_mean: null, running_var: null },
        ...{ training: true, momentum: 0.1, eps: 1e-5 },
      });
      return call("aten::native_batch_norm_backward", {
        ...{ grad_out, input, weight, running_mean: null, running_var: null, save_mean: mean!, save_invstd: invstd! },
        ...{ train: true, eps: 1e-5, output_mask: [true, true, true] },
      });
    };
    const right = gradients(dense(flat), dense(flatGradient));
    expectClose(gradients(dense(flat), strided(flatGradient)), right);
    expectClose(gradients(strided(flat), dense(flatGradient)), right);
  });

  it.each(["fast", "exact"] as const)("of a program, %s", async (precision) => {
    const body = `
      user_input %x: f32[2, 4, 5, 3]
      user_input %g: f32[2, 4, 5, 3]
      %p: f32[2, 3, 5, 4] = aten::transpose.int(self=%x, dim0=1, dim1=3)
      %q: f32[2, 3, 5, 4] = aten::transpose.int(self=%g, dim0=1, dim1=3)
      %y: f32[2, 3, 5, 4], %m: f32[2, 3], %r: f32[2, 3] = aten::native_group_norm(input=%p, weight=none, bias=none, N=2, C=3, HxW=20, group=3, eps=0.00001)
      %a: f32[2, 3, 5, 4], %b: f32[3], %d: f32[3] = aten::native_group_norm_backward(grad_out=%q, input=%p, mean=%m, rstd=%r, weight=none, N=2, C=3, HxW=20, group=3, output_mask=[true, false, false])
      return %y, %a`;
    await using executable = await compileBody(backend, body, {}, { precision });
    const found = (await executable.run([rows, gradient])) as readonly Tensor[];
    const dense = (self: Tensor): Tensor =>
      call("aten::contiguous", { self: call("aten::transpose.int", { self, dim0: 1, dim1: 3 })[0]! })[0]!;
    const args = { weight: null, N: 2, C: 3, HxW: 20, group: 3 };
    const [y, mean, rstd] = call("aten::native_group_norm", { input: dense(rows), bias: null, ...args, eps: 1e-5 });
    const [a] = call("aten::native_group_norm_backward", {
      ...{ grad_out: dense(gradient), input: dense(rows), mean: mean!, rstd: rstd! },
      ...{ ...args, output_mask: [true, false, false] },
    });
    expectClose(found, [y!, a!]);
  });
});
