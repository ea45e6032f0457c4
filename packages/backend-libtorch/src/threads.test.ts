import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Tensor } from "@pt2/backend";
import { expect, it } from "vitest";
import type { PlanNode } from "./addon.ts";
import { LibtorchBackend } from "./backend.ts";
import type { OpArgs, OpResult } from "./eager/op-args.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { random } from "./random.test-helper.ts";

const BARE = { attr: "none", scalars: [], algorithm: null } as const;
const WINDOWS = { stride: [1, 1], padding: [1, 1], dilation: [1, 1] } as const;

describeWithLibtorch("kernels that share their work among threads", ({ addon }) => {
  const torch = new LibtorchBackend(addon);
  const one = (name: string, args: OpArgs): Tensor => torch.callSync(name as "aten::add", args)[0] as Tensor;
  const packed = (outputs: number, inner: number): Tensor =>
    one("pt2::pack_linear_weight", { weight: random([outputs, inner], 2) });
  const linear = (rows: number, inner: number, columns: number): OpArgs => ({
    x: random([rows, inner]),
    weight: packed(columns, inner),
    out_features: columns,
    bias: random([columns], 3),
    residual: null,
    ...BARE,
    attr: "gelu",
    algorithm: "none",
  });
  const depthwise = (image: readonly [channels: number, height: number, width: number], kernel: number): OpArgs => ({
    x: random([1, ...image]),
    weight: one("pt2::pack_depthwise_weight", { weight: random([image[0], 1, kernel, kernel], 2) }),
    bias: null,
    ...WINDOWS,
    ...BARE,
  });
  const direct = (channels: number, size: number, outputs: number): OpArgs => ({
    x: random([2, channels, size, size]),
    weight: one("pt2::pack_conv_weight", { weight: random([outputs, 9 * channels], 2), groups: 1, width: size }),
    out_channels: outputs,
    kernel: [3, 3],
    groups: 1,
    bias: null,
    residual: null,
    ...WINDOWS,
    ...BARE,
  });
  const winograd = (channels: number, size: number): OpArgs => ({
    x: random([1, channels, size, size]),
    weight: one("pt2::pack_winograd_weight", { weight: random([64, channels, 3, 3], 2) }),
    out_channels: 64,
    bias: null,
    residual: null,
    padding: [1, 1],
    ...BARE,
  });
  const transposed = (channels: number, size: number, outputs: number): OpArgs => ({
    x: random([2, channels, size, size]),
    weight: one("pt2::pack_transposed_conv_weight", { weight: random([channels, outputs, 4, 4], 2) }),
    out_channels: outputs,
    kernel: [4, 4],
    bias: random([outputs], 3),
    ...{ ...WINDOWS, stride: [2, 2], output_padding: [0, 0] },
    ...BARE,
    attr: "tanh",
  });
  const calls: readonly (readonly [string, string, OpArgs])[] = [
    ["few rows", "pt2::linear", linear(5, 700, 900)],
    ["rows that are copied once", "pt2::linear", linear(61, 512, 900)],
    ["rows that are copied part by part", "pt2::linear", linear(61, 2048, 900)],
    ["more rows than columns", "pt2::linear", linear(901, 512, 70)],
    ["a band of rows for each thread", "pt2::linear", linear(901, 97, 150)],
    ["a band of rows for each thread, copied", "pt2::linear", linear(211, 512, 150)],
    ["bands of a picture", "pt2::direct_conv2d", direct(3, 97, 40)],
    ["channels of a small picture", "pt2::direct_conv2d", direct(128, 5, 300)],
    [
      "groups of a small picture",
      "pt2::direct_conv2d",
      {
        ...direct(240, 7, 250),
        weight: one("pt2::pack_conv_weight", { weight: random([250, 9 * 24], 2), groups: 10, width: 5 }),
        groups: 10,
      },
    ],
    ["a chunk for each thread", "pt2::winograd_conv2d", winograd(64, 70)],
    ["each step of one chunk", "pt2::winograd_conv2d", winograd(128, 12)],
    ["bands of overlapping windows", "pt2::transposed_conv", transposed(67, 61, 3)],
    ["channels of few windows", "pt2::transposed_conv", transposed(211, 5, 160)],
    ["bands and channels", "pt2::depthwise_conv2d", depthwise([67, 61, 59], 5)],
    ["channels of a small image", "pt2::depthwise_conv2d", depthwise([1153, 7, 9], 3)],
    [
      "heads and rows",
      "pt2::attention",
      {
        ...{ q: random([1, 3, 131, 64]), k: random([1, 3, 97, 64], 2), v: random([1, 3, 97, 64], 3) },
        ...{ mask: null, is_causal: false, scale: null, safe_softmax: true, mask_fills: false },
      },
    ],
    ["rows", "pt2::layer_norm", { x: random([601, 97]), weight: null, bias: null, eps: 1e-5 }],
    [
      "channels, weights, then pixels",
      "pt2::squeeze_excite",
      {
        ...{ x: random([2, 467, 41, 43]), reduce: random([117, 467], 2), reduce_bias: random([117], 4) },
        ...{ expand: random([117, 467], 3), expand_bias: random([467], 5), attr: "relu", gate: "sigmoid" },
      },
    ],
    [
      "blocks of pixels, groups, then pixels",
      "pt2::group_norm",
      { x: random([2, 300, 41, 43]), groups: 60, weight: random([300], 2), bias: null, eps: 1e-5 },
    ],
    [
      "blocks of few pixels",
      "pt2::group_norm",
      { x: random([3, 1031, 7, 7]), groups: 1, weight: null, bias: random([1031], 2), eps: 1e-5 },
    ],
    ["the means of channels", "pt2::global_average_pool", { x: random([2, 300, 41, 43]) }],
    [
      "rows of windows",
      "pt2::max_pool2d",
      { x: random([2, 67, 41, 43]), ...WINDOWS, kernel: [3, 3], ceil_mode: false },
    ],
    [
      "rows of windows, whose means are taken",
      "pt2::avg_pool2d",
      {
        ...{ x: random([2, 67, 41, 43]), kernel: [3, 3], stride: [1, 1], padding: [1, 1], ceil_mode: false },
        ...{ count_include_pad: false, divisor_override: null },
      },
    ],
    // A square of each element, plus the element.
    [
      "elements",
      "pt2::pointwise",
      {
        ...{ inputs: [random([7, 53, 997])], constants: [], results: [2], masks: [] },
        code: [9, 1, 0, 0, 0, 7, 2, 1, 0, 0],
      },
    ],
    ["channels of several", "pt2::cat", { tensors: [random([2, 67, 41, 43]), random([2, 5, 41, 43])], dim: 1 }],
    ["rows to be ordered", "pt2::topk", { self: random([701, 211]), k: 7, dim: 1, largest: true }],
  ];
  const digestOf = (results: readonly OpResult[]): readonly string[] =>
    results.flat().map((result) =>
      createHash("sha256")
        .update((result as Tensor).bytes!)
        .digest("hex"),
    );

  const uncounted = process.platform === "linux" ? "" : " (skipped: threads are counted on Linux only)";
  it.skipIf(uncounted !== "")(
    `ops of ATen with few elements start no threads in a sparing plan${uncounted}`,
    async () => {
      const [sum, product, self] = [0, 1, 2].map((index) => ({ kind: "slot", slot: index }) as const);
      const node = (op: string, other: string, output: number): PlanNode => ({
        ...{ kind: "op", op, outputs: [output] },
        args: [
          { name: "self", arg: self! },
          { name: other, arg: self! },
        ],
      });
      const nodes = [node("aten::add.Tensor", "other", 0), node("aten::mm", "mat2", 1)];
      const both = { slots: 3, inputs: [2], nodes, outputs: [sum!, product!] };
      // Its name has a part that tells of much work with each element, which it does not have.
      const dim = { kind: "list", items: [{ kind: "int", value: 0 }] } as const;
      const norm: PlanNode = {
        ...{ kind: "op", op: "aten::linalg_vector_norm", outputs: [0] },
        args: [
          { name: "self", arg: self! },
          { name: "dim", arg: dim },
        ],
      };
      const normed = { slots: 3, inputs: [2], nodes: [norm], outputs: [sum!] };
      const run = async (sparing: boolean, graph = both, size = 300): Promise<number> => {
        const { dtype, shape, bytes } = random([size, size]);
        const plan = addon.compile({ device: "cpu", graphs: [graph], sparing }, [null]);
        await plan.start([{ dtype, shape, bytes: bytes! }], { profile: false }).resume([]);
        plan.dispose();
        return readdirSync("/proc/self/task").length;
      };
      addon.setThreads(4);
      try {
        const before = await run(true);
        expect(await run(true)).toBe(before);
        expect(await run(true, normed, 1000)).toBe(before);
        // Nothing keeps it from starting some otherwise.
        expect(await run(false)).toBeGreaterThan(before);
      } finally {
        addon.setThreads(availableParallelism());
      }
    },
  );

  it.each(calls)("%s: %s has the same bytes for any number of threads", (_, name, args) => {
    const run = (threads: number): readonly string[] => {
      addon.setThreads(threads);
      return digestOf(torch.callSync(name as "aten::add", args));
    };
    try {
      const expected = run(1);
      for (const threads of [2, 3, 5, 2, 1]) expect(run(threads), `${threads} threads`).toEqual(expected);
    } finally {
      addon.setThreads(availableParallelism());
    }
  });

  it("thousands of calls that overlap get their own results, and no more threads than compute at a time", async () => {
    const [threads, concurrency] = [3, 4];
    addon.setThreads(threads);
    addon.setConcurrency(concurrency);
    const count = (): number => (process.platform === "linux" ? readdirSync("/proc/self/task").length : 0);
    try {
      const some = calls.filter(([, name]) => ["pt2::linear", "pt2::layer_norm", "pt2::topk"].includes(name));
      const expected = some.map(([, name, args]) => digestOf(torch.callSync(name as "aten::add", args)));
      const round = async (calls: number): Promise<void> => {
        const results = Array.from({ length: calls }, (_, i) => {
          const [, name, args] = some[i % some.length]!;
          return torch.call(name as "aten::add", args);
        });
        for (const [i, result] of (await Promise.all(results)).entries())
          expect(digestOf(result)).toEqual(expected[i % some.length]);
      };
      const before = count();
      for (let done = 0; done < 3000; done += 60) await round(60);
      // The pool's, those that help them, and those that OpenMP has for each thread of the pool.
      expect(count()).toBeLessThanOrEqual(before + concurrency + 2 * concurrency * (threads - 1));
    } finally {
      addon.setThreads(availableParallelism());
      addon.setConcurrency(1);
    }
  });
});
