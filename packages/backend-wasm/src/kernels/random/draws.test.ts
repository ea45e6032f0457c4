import { CpuGenerator, type HostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { loadHostKernels, type RandomState } from "@pt2/engine";
import { runHostKernel } from "@pt2/engine/host";
import type { DType } from "@pt2/format";
import type { ArgValue } from "@pt2/registry";
import { expect, test } from "vitest";
import { WasmBackend } from "../../backend.ts";
import { divided } from "../../threads/divided.test-helper.ts";
import { KERNEL_PARTS } from "../kernels-on-demand.ts";
import { DRAW_KERNELS } from "./draws.ts";

const COUNTS = [1, 3, 4, 623, 624, 625, 1, 1870, 5000, 70_001];
const registry = registryOf();

interface Draw {
  readonly op: "aten::rand" | "aten::uniform" | "aten::randint.low" | "aten::bernoulli.p";
  readonly args: Readonly<Record<string, number>>;
  readonly dtype: DType;
}

const DRAWS: readonly Draw[] = [
  { op: "aten::rand", args: {}, dtype: "float32" },
  { op: "aten::uniform", args: { from: 0, to: 1 }, dtype: "float32" },
  { op: "aten::uniform", args: { from: -0.3, to: 1.7 }, dtype: "float32" },
  // So narrow that numbers round to the limit.
  { op: "aten::uniform", args: { from: 1, to: 1.000001 }, dtype: "float32" },
  { op: "aten::randint.low", args: { low: 0, high: 100 }, dtype: "int64" },
  { op: "aten::randint.low", args: { low: -7, high: -6 }, dtype: "int64" },
  { op: "aten::randint.low", args: { low: -(2 ** 31) + 1, high: -(2 ** 31) + 2 ** 28 }, dtype: "int64" },
  { op: "aten::randint.low", args: { low: -50_000_000, high: 200_000_000 }, dtype: "int32" },
  { op: "aten::bernoulli.p", args: { p: 0.3 }, dtype: "float32" },
  { op: "aten::bernoulli.p", args: { p: 0 }, dtype: "float32" },
  { op: "aten::bernoulli.p", args: { p: 1 }, dtype: "float32" },
  { op: "aten::bernoulli.p", args: { p: 1e-300 }, dtype: "float32" },
];

const SHORT = { float32: "f32", int64: "i64", int32: "i32" } as const;

test.each(DRAWS)(
  "$op of $args are the host's numbers, one call after the other, by any number of threads",
  async (draw) => {
    const { op, args, dtype } = draw;
    const type = SHORT[dtype as keyof typeof SHORT];
    const given = Object.entries(args).map(([name, value]) => {
      const isReal = op !== "aten::randint.low" && Number.isInteger(value);
      return `${name}=${isReal ? `${value}.0` : value}`;
    });
    const fills = op === "aten::uniform" || op === "aten::bernoulli.p";
    const lines = COUNTS.map((count, i) => {
      const empty = `%e${i}: ${type}[${count}] = aten::empty.memory_format(size=[${count}], dtype=torch.${dtype})`;
      const own = fills ? [`self=%e${i}`, ...given] : [...given, `size=[${count}]`, `dtype=torch.${dtype}`];
      return `${fills ? empty : ""}
      %r${i}: ${type}[${count}] = ${op}(${own.join(", ")})`;
    });
    const kernel = (await loadHostKernels()).find(({ ops }) => ops.includes(op))!;
    const random = { generator: new CpuGenerator(7) } as RandomState;
    const argsOf = (count: number): Readonly<Record<string, ArgValue>> =>
      ({ ...args, size: [count], dtype, self: { dtype, shape: [count] } }) as never;
    const right = COUNTS.map((count) => {
      const result = { dtype, shape: [count] };
      const tensor = () => ({ ...result, bytes: new Uint8Array() });
      return runHostKernel(kernel, { args: argsOf(count), tensor, results: [result], random })[0]!;
    });
    for (const threads of [1, 2, 5]) {
      await using backend = new WasmBackend(divided(threads));
      backend.manualSeed(7);
      const program = programOf(`${lines.join("\n")}
      return ${COUNTS.map((_, i) => `%r${i}`).join(", ")}`);
      const executable = await backend.compile({ program, weights: weightsOf({}), registry });
      expect(KERNEL_PARTS.find(op, argsOf(3))).toBe(DRAW_KERNELS.find(({ ops }) => ops.includes(op)));
      const results = (await executable.run([])) as readonly HostTensor[];
      for (const [i, { bytes }] of results.entries()) {
        expect(Buffer.compare(bytes, right[i]!.bytes), `${threads} threads, result ${i}`).toBe(0);
      }
    }
  },
);

test("other dtypes and ranges are drawn on the host", () => {
  const self = { dtype: "float64", shape: [5] };
  const calls: readonly (readonly [string, object])[] = [
    ["aten::rand", { dtype: "float64", size: [5] }],
    ["aten::uniform", { self, from: 0, to: 1 }],
    ["aten::bernoulli.p", { self, p: 0.5 }],
    ["aten::randint.low", { dtype: "float32", low: 0, high: 5, size: [5] }],
    ["aten::randint.low", { dtype: "int64", low: 0, high: 2 ** 28, size: [5] }],
    ["aten::randint.low", { dtype: "int64", low: 2 ** 40, high: 2 ** 40 + 5, size: [5] }],
  ];
  for (const [op, args] of calls) {
    const kernel = DRAW_KERNELS.find(({ ops }) => ops.includes(op))!;
    expect(kernel.accepts!(args as never), op).toBe(false);
  }
});
