import { defineOp, type HandlerTensor, type OpRecord } from "@pt2/registry";
import { floats } from "../programs.ts";
import { userSet } from "./records.ts";
import type { UserOpsCase } from "./user-ops-case.ts";

/** Sums up to each element, and whether they are positive, by a function on elements. */
const sums: OpRecord = defineOp("mine::sums(Tensor self) -> (Tensor sums, Tensor positive)", {
  infer: ({ self }) => [self, { dtype: "bool", shape: self.shape }],
  compute({ self: { data, shape } }) {
    let sum = 0;
    const totals = Float32Array.from(data as Float32Array, (x) => (sum += x));
    return [
      { dtype: "float32", shape, data: totals },
      { dtype: "bool", shape, data: Uint8Array.from(totals, (total) => Number(total > 0)) },
    ];
  },
});

/** The same, a moment later. */
const later: OpRecord = defineOp("mine::sums(Tensor self) -> (Tensor sums, Tensor positive)", {
  infer: (args) => sums.infer!(args) as never,
  compute: async (args) => await sums.compute!(args),
});

/** The positive ones of the sums: as many as the data has. */
const positiveSums: OpRecord = defineOp("mine::positive_sums(Tensor self) -> Tensor", {
  infer: ({ self }) => self,
  dynamic: true,
  decompose({ self }, b) {
    const [totals, positive] = b.call(sums.name, { self: b.tensor("aten::mul.Tensor", { self, other: { float: 2 } }) });
    return b.tensor("aten::masked_select", { self: totals as never, mask: positive as never });
  },
});

/** An op whose decomposition needs another one with open sizes, which is another user's op. */
const nested: OpRecord = defineOp("mine::nested(Tensor self) -> Tensor", {
  infer: ({ self }) => self,
  dynamic: true,
  decompose: ({ self }, b) => b.tensor("aten::neg", { self: b.tensor(positiveSums.name, { self }) as never }),
});

const circular: OpRecord = defineOp("mine::circular(Tensor self) -> Tensor", {
  infer: ({ self }) => self,
  dynamic: true,
  decompose: ({ self }, b) => b.tensor("mine::circular", { self }),
});

const SUMS = `program {
  user_input %x: f32[s0]
  %h: f32[s0] = aten::neg(%x)
  %a: f32[s0], %b: bool[s0] = mine::sums(self=%h)
  %y: f32[s0] = aten::neg(%a)
  return %y
}`;

const open = (op: string): string => `program {
  user_input %x: f32[s0]
  %y: f32[u0] = ${op}(self=%x)
  %z: f32[u0] = aten::neg(%y)
  return %z, %x
}`;

const x = floats([3], 1, -3, 4);
const longer = floats([5], -1, 2, -7, 6.5, 0.5);
const none = floats([2], -1, -2);

function wrong(name: string, compute: (self: HandlerTensor) => unknown, message: RegExp): UserOpsCase {
  const odd = defineOp("mine::odd(Tensor self) -> Tensor", {
    infer: ({ self }) => self,
    compute: ({ self }) => compute(self) as HandlerTensor,
  });
  const program = SUMS.replace("%a: f32[s0], %b: bool[s0] = mine::sums", "%a: f32[s0] = mine::odd");
  const runs = [{ inputs: [x], outputs: [] }];
  return {
    name: `computed: ${name}`,
    handlers: [],
    sets: userSet(odd),
    program,
    runs,
    refused: { code: "registry.rule", message },
  };
}

/** Cases for ops that their records compute in host memory, and for decompositions whose sizes depend on data. */
export const COMPUTED: readonly UserOpsCase[] = [
  ...[sums, later].map((record, i) => ({
    name: `computed: a record computes an op in host memory${i === 0 ? "" : ", by a promise"}`,
    handlers: [],
    sets: userSet(record),
    program: SUMS,
    runs: [
      { inputs: [x], outputs: [floats([3], 1, -2, 2)] },
      { inputs: [longer], outputs: [floats([5], -1, 1, -6, 0.5, 1)] },
      { inputs: [floats([0])], outputs: [floats([0])] },
    ],
  })),
  {
    name: "computed: a decomposition calls ops with result sizes of data",
    handlers: [],
    sets: userSet(sums, positiveSums),
    program: open("mine::positive_sums"),
    runs: [
      { inputs: [x], outputs: [floats([2], -2, -4), x] },
      { inputs: [longer], outputs: [floats([3], -2, -1, -2), longer] },
      { inputs: [none], outputs: [floats([0]), none] },
      { inputs: [x], outputs: [floats([2], -2, -4), x] },
    ],
  },
  {
    name: "computed: a decomposition calls another user's op of that kind",
    handlers: [],
    sets: userSet(sums, positiveSums, nested),
    program: open("mine::nested"),
    runs: [
      { inputs: [x], outputs: [floats([2], 2, 4), x] },
      { inputs: [longer], outputs: [floats([3], 2, 1, 2), longer] },
    ],
  },
  {
    name: "computed: a decomposition of open size that refers back to itself",
    handlers: [],
    sets: userSet(circular),
    program: open("mine::circular"),
    runs: [{ inputs: [x], outputs: [] }],
    refused: { message: /mine::circular.*refers back to itself/ },
  },
  wrong(
    "a function that throws",
    () => (undefined as unknown as { a: { b: 1 } }).a.b,
    /`compute` rule of mine::odd failed: .*undefined/,
  ),
  wrong(
    "a function that returns another shape",
    ({ dtype, data }) => ({ dtype, shape: [1], data }),
    /`compute` rule of mine::odd returned float32 \[1\] as result 0, but `infer` says .*\[3\]/,
  ),
  wrong(
    "a function that returns another dtype",
    ({ shape, data }) => ({ dtype: "int32", shape, data }),
    /`compute` rule of mine::odd returned int32 \[3\] as result 0/,
  ),
];
