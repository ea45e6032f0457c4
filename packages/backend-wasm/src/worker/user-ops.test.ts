import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { numel } from "@pt2/format";
import { type OpName, parse } from "@pt2/graph";
import { createRegistry, defineOp, type OpHandler, type OpRecord, type RegistryParts } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { differentiate, scalar as s } from "@pt2/registry/scalar";
import { afterAll, describe, expect, test } from "vitest";
import { wasm } from "../node.ts";
import { twiceKernel } from "../twice-kernel.test-helper.ts";

const worker = wasm();
const local = wasm({ worker: false });

afterAll(async () => {
  await worker.dispose();
  await local.dispose();
});

const floats = (...shape: number[]): Value => {
  const count = numel(shape);
  return hostTensor(
    "float32",
    shape,
    Float32Array.from({ length: count }, (_, i) => Math.sin(i)),
  );
};

const plain = (values: readonly Value[]): unknown =>
  values.map((value) => (typeof value === "object" && value !== null ? [value.dtype, value.shape, value.data] : value));

const PROGRAM = `program {
  user_input %x: f32[s0, 4]
  user_input %w: f32[4, 4]
  %a: f32[s0, 4] = mine::act(%x, by=2.5)
  %b: f32[s0, 4] = mine::dense(%a, weight=%w)
  %c: f32[s0, 4] = mine::act(%b, by=-1.5)
  return %c
}`;

const act = defineOp('mine::act(Tensor self, float by, str mode="plain") -> Tensor', {
  scalar: (x, by, mode) => (mode === "plain" ? s.mul(s.tanh(x), s.add(by, x)) : x),
});

/** Branches on sizes, and calls another op of the same set. */
const dense = defineOp("mine::dense(Tensor self, Tensor weight) -> Tensor", {
  infer: ({ self, weight }) => ({ dtype: self.dtype, shape: [self.shape[0]!, weight.shape[0]!] }),
  validate: ({ self }) => (self.shape.length === 2 ? null : "self must be a matrix"),
  decompose({ self, weight }, b) {
    const across = b.tensor("aten::t", { self: weight });
    const parts = b.call("aten::split.Tensor", { self, split_size: 2, dim: 0 })[0] as readonly (typeof self)[];
    const products = parts.map((part) => b.tensor("aten::mm", { self: part, mat2: across }));
    const joined = products.length === 1 ? products[0]! : b.tensor("aten::cat", { tensors: products, dim: 0 });
    return b.tensor("mine::act", { self: joined, by: { float: 0.5 } });
  },
});

const MINE = [{ name: "mine", ops: [act, dense] }];

async function compiled(program: string, parts: Partial<RegistryParts>, backend = worker) {
  const registry = createRegistry({ sets: [aten, ...(parts.sets ?? [])], handlers: parts.handlers ?? [] });
  return await backend.compile({ program: parse(program), weights: new Map(), registry });
}

describe("ops of users in the worker", () => {
  test("a view of a slice, and one of a transposed tensor, give the same in the worker as on the calling thread", async () => {
    const evens = defineOp("mine::evens(Tensor(a) self) -> Tensor(a)", {
      view: ({ shape: [rows = 1, ...rest], strides: [step = 1, ...steps], offset }) => ({
        shape: [Math.ceil(rows / 2), ...rest],
        strides: [2 * step, ...steps],
        offset,
      }),
    });
    const program = `program {
  user_input %x: f32[5, 4]
  %part: f32[3, 4] = aten::slice.Tensor(self=%x, dim=0, start=2, end=5)
  %a: f32[2, 4] = mine::evens(self=%part)
  %t: f32[4, 5] = aten::t(self=%x)
  %b: f32[2, 5] = mine::evens(self=%t)
  return %a, %b
}`;
    const parts = { sets: [{ name: "mine", ops: [evens] }] };
    const results = async (backend: typeof worker): Promise<unknown> =>
      plain(await (await compiled(program, parts, backend)).run([floats(5, 4)]));
    const x = Array.from({ length: 20 }, (_, i) => Math.fround(Math.sin(i)));
    const rows = (...at: readonly number[]): Float32Array => Float32Array.from(at, (i) => x[i]!);
    const expected = [
      ["float32", [2, 4], rows(8, 9, 10, 11, 16, 17, 18, 19)],
      ["float32", [2, 5], rows(0, 4, 8, 12, 16, 2, 6, 10, 14, 18)],
    ];
    expect(await results(local)).toEqual(expected);
    expect(await results(worker)).toEqual(expected);
  });

  test("scalar rules and decompositions give the same in the worker as on the calling thread, for sizes that come later too", async () => {
    const [there, here] = [await compiled(PROGRAM, { sets: MINE }), await compiled(PROGRAM, { sets: MINE }, local)];
    for (const rows of [1, 2, 5, 1, 8, 5]) {
      const inputs = [floats(rows, 4), floats(4, 4)];
      expect(plain(await there.run(inputs))).toEqual(plain(await here.run(inputs)));
    }
    expect(there.onCallingThread).toBeUndefined();
    expect(await there.explain()).not.toContain("calling thread");
    await there.dispose();
    await here.dispose();
  });

  test("the worker gets records that only some sizes need when it meets them", async () => {
    const small = defineOp("mine::small(Tensor self) -> Tensor", { scalar: (x) => s.mul(x, 2) });
    const large = defineOp("mine::large(Tensor self) -> Tensor", {
      decompose: ({ self }, b) => b.tensor("mine::larger", { self }),
    });
    const larger = defineOp("mine::larger(Tensor self) -> Tensor", { scalar: (x) => s.add(x, 3) });
    const pick = defineOp("mine::pick(Tensor self) -> Tensor", {
      infer: ({ self }) => self,
      decompose: ({ self }, b) => b.tensor(self.shape[0]! > 4 ? "mine::large" : "mine::small", { self }),
    });
    const unused = Array.from({ length: 20 }, (_, i) =>
      defineOp(`mine::unused${i}(Tensor self) -> Tensor`, { scalar: (x) => x }),
    );
    const sets = [{ name: "mine", ops: [pick, small, ...unused, large, larger] }];
    const program = `program {
  user_input %x: f32[s0]
  %a: f32[s0] = mine::pick(%x)
  return %a
}`;
    for (const backend of [worker, local]) {
      const executable = await compiled(program, { sets }, backend);
      expect(executable.onCallingThread).toBeUndefined();
      for (const [size, value] of [
        [2, 14],
        [9, 10],
        [3, 14],
        [7, 10],
      ] as const) {
        const [result] = await executable.run([hostTensor("float32", [size], new Float32Array(size).fill(7))]);
        expect((result as HostTensor).data).toEqual(new Float32Array(size).fill(value));
      }
      await executable.dispose();
    }
  });

  test("a scalar rule that differentiates its operands does the same in the worker as on the calling thread", async () => {
    const slope = (at: 0 | 1): OpRecord =>
      defineOp(`mine::slope.${at}(Tensor self, Tensor other) -> Tensor`, {
        scalar: (...operands) => differentiate(s.pow(...operands), operands[at]),
      });
    const program = `program {
  user_input %x: f32[3]
  user_input %y: f32[3]
  %a: f32[3] = mine::slope.0(self=%x, other=%y)
  %b: f32[3] = mine::slope.1(self=%x, other=%y)
  %c: f32[3] = mine::slope.0(self=%x, other=%x)
  return %a, %b, %c
}`;
    const [two, three] = [2, 3].map((value) => hostTensor("float32", [3], new Float32Array(3).fill(value)));
    for (const backend of [worker, local]) {
      const executable = await compiled(program, { sets: [{ name: "mine", ops: [slope(0), slope(1)] }] }, backend);
      const elements = (await executable.run([two!, three!])).map((value) => (value as HostTensor).data[0]);
      expect(elements).toEqual([12, Math.fround(8 * Math.LN2), 4]);
      await executable.dispose();
    }
  });

  test("timers of the calling thread run while a program with ops of users computes", async () => {
    const executable = await compiled(
      `program {
  user_input %x: f32[512, 512]
  %a: f32[512, 512] = mine::act(%x, by=0.5)
  %b: f32[512, 512] = mine::dense(%a, weight=%x)
  return %b
}`,
      {
        sets: [
          {
            name: "mine",
            ops: [
              act,
              defineOp("mine::dense(Tensor self, Tensor weight) -> Tensor", {
                decompose: ({ self, weight }, b) => b.tensor("aten::mm", { self, mat2: weight }),
              }),
            ],
          },
        ],
      },
    );
    const input = floats(512, 512);
    await executable.run([input]);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 0);
    // On the calling thread a run is a chain of promises, with no timer in between.
    for (let run = 0; run < 60; run++) await executable.run([input]);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    await executable.dispose();
  });

  test("a rule is evaluated once for calls that it cannot distinguish", async () => {
    let asked = 0;
    const counted = defineOp("mine::act(Tensor self, float by) -> Tensor", {
      scalar(x, by) {
        asked++;
        return s.mul(x, by);
      },
    });
    const nodes = Array.from({ length: 1500 }, (_, i) => `  %v${i + 1}: f32[3] = mine::act(%v${i}, by=${1 + i / 1e6})`);
    const executable = await compiled(`program {\n  user_input %v0: f32[3]\n${nodes.join("\n")}\n  return %v1500\n}`, {
      sets: [{ name: "mine", ops: [counted] }],
    });
    await executable.run([floats(3)]);
    expect(asked).toBe(1);
    await executable.dispose();
  });

  test("one question about new sizes brings the answers for all calls with these sizes", async () => {
    const scaled = defineOp("mine::scaled(Tensor self, float by) -> Tensor", {
      decompose: ({ self, by }, b) => b.tensor("aten::mul.Tensor", { self, other: { float: by } }),
    });
    // There are more of them than `loading` repeats for one by one.
    const nodes = Array.from(
      { length: 1100 },
      (_, i) => `  %v${i + 1}: f32[s0] = mine::scaled(%v${i}, by=${1 + i / 1e6})`,
    );
    const executable = await compiled(`program {\n  user_input %v0: f32[s0]\n${nodes.join("\n")}\n  return %v1100\n}`, {
      sets: [{ name: "mine", ops: [scaled] }],
    });
    for (const size of [3, 4]) expect(await executable.run([floats(size)])).toMatchObject([{ shape: [size] }]);
    await executable.dispose();
  });

  test("a rule that depends on a number among its operands is evaluated for each number", async () => {
    const looks = defineOp("mine::act(Tensor self, float by) -> Tensor", {
      scalar: (x, by) => (by.kind === "const" && Number(by.value) > 1 ? s.neg(x) : s.mul(x, by)),
    });
    const body = (sets: RegistryParts["sets"], backend = worker) =>
      compiled(
        `program {
  user_input %x: f32[3]
  %a: f32[3] = mine::act(%x, by=0.5)
  %b: f32[3] = mine::act(%a, by=1.5)
  %c: f32[3] = mine::act(%b, by=0.25)
  return %a, %b, %c
}`,
        { sets },
        backend,
      );
    const sets = [{ name: "mine", ops: [looks] }];
    const [there, here] = [await body(sets), await body(sets, local)];
    expect(plain(await there.run([floats(3)]))).toEqual(plain(await here.run([floats(3)])));
    await there.dispose();
    await here.dispose();
  });

  test("numbers that each run brings enter scalar rules and decompositions", async () => {
    const scaled = defineOp("mine::scaled(Tensor self, Scalar by) -> Tensor", {
      promote: ({ self }) => ({ kind: self.dtype === "bool" ? "bool" : "numeric", operands: ["self", "by"] }),
      scalar: (x, by) => s.mul(x, by),
    });
    const shifted = defineOp("mine::shifted(Tensor self, Scalar by) -> Tensor", {
      decompose: ({ self, by }, b) => b.tensor("aten::add.Tensor", { self, other: by }),
    });
    const program = `program {
  user_input %x: f32[3]
  user_input %n: float
  %a: f32[3] = mine::scaled(%x, by=%n)
  %b: f32[3] = mine::shifted(%a, by=%n)
  return %b
}`;
    const sets = [{ name: "mine", ops: [scaled, shifted] }];
    const [there, here] = [await compiled(program, { sets }), await compiled(program, { sets }, local)];
    for (const n of [0.5, 2, -3]) {
      expect(plain(await there.run([floats(3), n]))).toEqual(plain(await here.run([floats(3), n])));
    }
    await there.dispose();
    await here.dispose();
  });

  test("a decomposition that ends in its own op is refused as on the calling thread", async () => {
    const circle = defineOp("mine::act(Tensor self, float by) -> Tensor", {
      decompose: ({ self, by }, b) => b.tensor("mine::act", { self, by: { float: by } }),
    });
    const program = `program {
  user_input %x: f32[3]
  %a: f32[3] = mine::act(%x, by=0.5)
  return %a
}`;
    for (const backend of [worker, local]) {
      const work = async (): Promise<unknown> => {
        const executable = await compiled(program, { sets: [{ name: "mine", ops: [circle] }] }, backend);
        return await executable.run([floats(3)]);
      };
      await expect(work()).rejects.toMatchObject({ name: "Pt2Error", message: expect.stringMatching(/refers back/) });
    }
  });

  test("a decomposition that calls an op which its record computes is refused as on the calling thread", async () => {
    const sorted = defineOp("mine::sorted(Tensor self) -> Tensor", {
      infer: ({ self }) => self,
      compute: ({ self: { dtype, shape, data } }) => ({ dtype, shape, data: data.toSorted() }),
    });
    const twice = defineOp("mine::twice(Tensor self) -> Tensor", {
      decompose: ({ self }, b) => b.tensor(sorted, { self: b.tensor(sorted, { self }) }),
    });
    const program = `program {
  user_input %x: f32[3]
  %a: f32[3] = mine::twice(%x)
  return %a
}`;
    for (const backend of [worker, local]) {
      const load = compiled(program, { sets: [{ name: "mine", ops: [sorted, twice] }] }, backend);
      const message = expect.stringMatching(/mine::sorted: its `compute` rule serves nodes of programs/);
      await expect(load).rejects.toMatchObject({ name: "Pt2Error", message });
    }
  });
});

describe("programs that run on the calling thread", () => {
  const BODY = `program {
  user_input %x: f32[3]
  %a: f32[3] = aten::relu(%x)
  %b: f32[3] = mine::twice(self=%a)
  return %b
}`;
  const PLAIN = BODY.replace("mine::twice(self=%a)", "aten::neg(%a)");
  const twice = defineOp("mine::twice(Tensor self) -> Tensor", { scalar: (x) => s.mul(x, 2) });
  const relu = defineOp("aten::relu(Tensor self) -> Tensor", { scalar: (x) => x });
  const rewrite = (op: string): OpHandler => ({
    ops: [op],
    rewrite: ({ self }, b) => b.tensor("aten::tanh", { self: self! }),
  });
  const kernels = { wasm: [twiceKernel] };

  const cases: readonly (readonly [string, string, Partial<RegistryParts>, OpName | null])[] = [
    ["nothing of a user's", PLAIN, {}, null],
    ["an op with a scalar rule", BODY, { sets: [{ name: "mine", ops: [twice] }] }, null],
    ["an op of PyTorch's that a set replaces", PLAIN, { sets: [{ name: "mine", ops: [relu], replace: true }] }, null],
    ["kernels of ops that it does not have", PLAIN, { sets: [{ name: "mine", ops: [twice], kernels }] }, null],
    ["a kernel", BODY, { sets: [{ name: "mine", ops: [twice], kernels }] }, "mine::twice"],
    ["a handler", PLAIN, { handlers: [rewrite("aten::relu")] }, "aten::relu"],
    ["a handler of an op that others may come to", PLAIN, { handlers: [rewrite("aten::tanh")] }, "aten::tanh"],
    ["a handler of an op that it does not have", PLAIN, { handlers: [rewrite("mine::other")] }, null],
    [
      "a handler of an op that users' decompositions may come to",
      BODY,
      { sets: [{ name: "mine", ops: [twice] }], handlers: [rewrite("mine::other")] },
      "mine::other",
    ],
  ];
  test.each(cases)("%s", async (_, program, parts, moved) => {
    const executable = await compiled(program, parts);
    await executable.run([floats(3)]);
    const [first = ""] = (await executable.explain()).split("\n");
    expect(executable.onCallingThread ?? null).toEqual(moved === null ? null : expect.stringContaining(moved));
    if (moved === null) expect(first).not.toContain("calling thread");
    else {
      expect(first).toContain(
        `on the calling thread, as handlers and kernels of users cannot cross to the worker: ${moved}`,
      );
    }
    await executable.dispose();
  });
});
