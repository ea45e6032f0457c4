import type { Backend } from "@pt2/backend";
import { type HostTensor, hostTensor } from "@pt2/backend";
import { type CheckOpOptions, checkOp, floats, type OpReport, type OpSample, someFloats } from "@pt2/conformance";
import { Pt2Error } from "@pt2/format";
import { functionalize } from "@pt2/graph/functionalize";
import type { OpEffects } from "@pt2/graph/passes";
import { defineOp, type OpRecord, type OpRegistry, type TensorMeta } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";
import { afterAll, describe, expect, it } from "vitest";
import { addressOf, wasmKernel } from "./index.ts";
import { wasm } from "./node.ts";

const backend = wasm({ worker: false });
afterAll(async () => await backend.dispose());

/** Has the results of the wasm backend, with a number added. */
function shifted(by: number): Backend {
  return {
    ...backend,
    name: "shifted",
    apiVersion: backend.apiVersion,
    capabilities: backend.capabilities,
    unsupported: (program, registry) => backend.unsupported(program, registry),
    dispose: async () => {},
    async [Symbol.asyncDispose]() {},
    async compile(request) {
      const executable = await backend.compile(request);
      const run: typeof executable.run = async (inputs) =>
        (await executable.run(inputs)).map((value) => {
          if (typeof value !== "object" || value === null || value.dtype !== "float32") return value;
          return hostTensor(
            "float32",
            value.shape,
            (value.data as Float32Array).map((x) => x + by),
          );
        });
      return new Proxy(executable, {
        get(target, name) {
          const member = name === "run" ? run : Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
    },
  };
}

const x = someFloats(5, 7);

/** Checks an op, with kernels for the wasm backend if given. */
async function check(
  op: OpRecord,
  samples: readonly OpSample[] = [{ self: x }],
  { kernel, ...options }: Partial<CheckOpOptions> & { readonly kernel?: unknown } = {},
): Promise<unknown> {
  const kernels = kernel === undefined ? {} : { kernels: { wasm: [kernel] } };
  return await checkOp(op, samples, {
    backends: [backend],
    ops: [{ name: "mine", ops: [op], ...kernels }],
    ...options,
  });
}

async function faultsOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Pt2Error)) throw new Error("no fault was found", { cause: error });
  expect(error.code).toBe("conformance.op");
  return error.what;
}

const SELF = "mine::bend(Tensor self) -> Tensor";
const bend = defineOp(SELF, { scalar: (self) => s.mul(self, s.tanh(self)) });
const relu = defineOp(SELF, { decompose: ({ self }, b) => b.tensor("aten::relu", { self }) });

/** A kernel for float32 that computes each element from its position in row-major order and the operand's memory. */
function kernelOf(compute: (x: number, i: number) => number, options: { readonly dense: boolean } = { dense: true }) {
  return wasmKernel({
    ops: [bend],
    accepts: ({ self }) => self.dtype === "float32",
    prepare(call, { self }) {
      const given = call.tensor(self);
      const [from, to] = [options.dense ? call.dense(given) : given, call.output()];
      const count = self.shape.reduce((product, size) => product * size, 1);
      call.step(() => {
        const [at, out] = [addressOf(from) / 4, addressOf(to) / 4];
        for (let i = 0; i < count; i++) call.heap.f32[out + i] = compute(call.heap.f32[at + i]!, i);
      });
    },
  });
}

describe("a good op passes", () => {
  it("a scalar op passes", async () => {
    expect(await check(bend, [{ self: x }, { self: floats([0, 3]) }, { self: floats([], 2) }])).toMatchObject({
      unchecked: [],
    });
  });

  it("a decomposition with several operands passes", async () => {
    const op = defineOp("mine::blend(Tensor self, Tensor other, float sharpness=2.0) -> Tensor", {
      decompose({ self, other, sharpness }, b) {
        const largest = b.tensor("aten::amax", { self, dim: [-1], keepdim: true });
        const shift = b.tensor("aten::sub.Tensor", {
          self,
          other: b.tensor("aten::mul.Tensor", { self: largest, other }),
        });
        return b.tensor("aten::softplus", { self: shift, beta: { float: sharpness } });
      },
    });
    await check(op, [
      { self: x, other: someFloats(7) },
      { self: x, other: floats([], 1), sharpness: 0.5 },
    ]);
  });

  it("a kernel that agrees with the rules passes", async () => {
    await check(bend, undefined, { kernel: kernelOf((value) => value * Math.tanh(value)) });
  });

  it("an op of kernels alone passes, in the dtypes that they take", async () => {
    const op = defineOp(SELF, {
      infer: ({ self: { dtype, shape } }) => ({ dtype, shape }),
      gradient: ({ grads: [grad] }) => ({ self: grad! }),
    });
    const report = (await check(op, undefined, { kernel: kernelOf((value) => value * Math.tanh(value)) })) as OpReport;
    expect(report.refused).toBeGreaterThan(5);
    expect(report.unchecked.join()).toContain("the gradient on wasm: ");
  });

  it("an op without tensor arguments passes", async () => {
    const op = defineOp("mine::steps(int count, ScalarType? dtype=None) -> Tensor", {
      decompose: ({ count, dtype }, b) => b.tensor("aten::arange", { end: count, dtype }),
    });
    await check(op, [{ count: 5 }, { count: 0, dtype: "float32" }]);
  });

  it("a view passes", async () => {
    const op = defineOp("mine::transposed(Tensor(a) self) -> Tensor(a)", {
      view: ({ shape, strides, offset }) => ({ shape: shape.toReversed(), strides: strides.toReversed(), offset }),
    });
    await check(op);
  });

  it("an in-place op passes", async () => {
    const op = defineOp("mine::doubled_(Tensor(a!) self) -> Tensor(a!)", {
      decompose: ({ self }, b) => b.tensor("aten::add.Tensor", { self, other: self }),
    });
    await check(op);
  });

  it("an op with several results and a list passes", async () => {
    const op = defineOp("mine::ends(Tensor[] tensors) -> (Tensor, Tensor)", {
      decompose({ tensors }, b) {
        const self = b.tensor("aten::cat", { tensors });
        return [b.tensor("aten::amax", { self }), b.tensor("aten::amin", { self })];
      },
    });
    await check(op, [{ tensors: [x, someFloats(2, 7)] }]);
  });

  it("an op with a reference and named dtypes passes", async () => {
    const reference = ({ self: { dtype, shape, data } }: { readonly self: HostTensor<"float32" | "float64"> }) =>
      hostTensor(
        dtype,
        shape,
        data.map((v) => v * Math.tanh(v)),
      );
    await check(bend, undefined, { reference, dtypes: ["float32", "float64"] });
  });
});

describe("a planted fault is found", () => {
  it("infer has a wrong shape", async () => {
    const op = defineOp(SELF, {
      infer: ({ self: { dtype, shape } }) => ({ dtype, shape: [...shape, 1] }),
      decompose: ({ self }, b) => b.tensor("aten::relu", { self }),
    });
    expect(await faultsOf(check(op))).toContain("`infer` promises float32[5, 7, 1], and `decompose` has float32[5, 7]");
  });

  it("infer has a wrong dtype", async () => {
    const op = defineOp(SELF, {
      infer: ({ self: { shape } }) => ({ dtype: "float32", shape }),
      decompose: ({ self }, b) => b.tensor("aten::relu", { self }),
    });
    expect(await faultsOf(check(op))).toContain("`infer` promises float32[5, 7], and `decompose` has float64[5, 7]");
  });

  it("a decomposition writes to its argument", async () => {
    const op = defineOp(SELF, {
      decompose: ({ self }, b) => b.tensor("aten::clone", { self: b.tensor("aten::relu_", { self }) }),
    });
    expect(await faultsOf(check(op))).toContain(
      "its rules write to `self` (aten::relu_), which the schema does not declare",
    );
  });

  it("a kernel writes to its operand", async () => {
    const kernel = wasmKernel({
      ops: [bend],
      prepare(call, { self }) {
        const [from, to] = [call.tensor(self), call.output()];
        call.elementwise(to, [from], {
          kind: "unary",
          fn: "abs",
          dtype: self.dtype,
          x: { kind: "input", index: 0, dtype: self.dtype },
        });
        call.step(() => call.heap.u8.fill(0, addressOf(from), addressOf(from) + 4));
      },
    });
    const op = defineOp(SELF, { decompose: ({ self }, b) => b.tensor("aten::abs", { self }) });
    expect(await faultsOf(check(op, undefined, { kernel, dtypes: ["float32"] }))).toMatch(
      /effects: `self` on wasm has other elements after the call/,
    );
  });

  it("a decomposition returns its argument", async () => {
    const op = defineOp(SELF, { decompose: ({ self }) => self });
    expect(await faultsOf(check(op))).toContain(
      "result 0 shares memory with `self`, which the schema does not declare",
    );
  });

  it("a schema declares a view that the rules do not make", async () => {
    const op = defineOp("mine::bend(Tensor(a) self) -> Tensor(a)", {
      decompose: ({ self }, b) => b.tensor("aten::relu", { self }),
    });
    expect(await faultsOf(check(op))).toContain("and the rules make a new tensor");
  });

  it("a kernel reads an operand as if it were dense", async () => {
    const kernel = kernelOf((value) => value * Math.tanh(value), { dense: false });
    const found = await faultsOf(check(bend, undefined, { kernel }));
    expect(found).toMatch(/values: result 0 of self=float32\[5, 7\] on wasm differs from the rules of its record/);
    expect(found).toContain("found in sample 0, transposed; sample 0, strided; sample 0, expanded on wasm");
  });

  it("a kernel is wrong for a tensor without elements", async () => {
    const total = defineOp("mine::total(Tensor self) -> Tensor", {
      decompose: ({ self }, b) => b.tensor("aten::sum", { self }),
    });
    const kernel = wasmKernel({
      ops: [total],
      accepts: ({ self }) => self.dtype === "float32",
      prepare(call, { self }) {
        const [from, to] = [call.dense(call.tensor(self)), call.output()];
        const count = self.shape.reduce((product, size) => product * size, 1);
        call.step(() => {
          const elements = call.heap.f32.subarray(addressOf(from) / 4, addressOf(from) / 4 + count);
          call.heap.f32[addressOf(to) / 4] = count === 0 ? 1 : elements.reduce((sum, value) => sum + value, 0);
        });
      },
    });
    expect(await faultsOf(check(total, undefined, { kernel }))).toContain(
      "found in sample 0, empty where the size was 5; sample 0, empty where the size was 7 on wasm",
    );
  });

  it("a kernel is wrong for a tensor without dimensions", async () => {
    const kernel = wasmKernel({
      ops: [bend],
      accepts: ({ self }) => self.dtype === "float32",
      prepare(call, { self }) {
        const [from, to] = [call.dense(call.tensor(self)), call.output()];
        const count = self.shape.length === 0 ? 0 : self.shape.reduce((product, size) => product * size, 1);
        call.step(() => {
          const [at, out] = [addressOf(from) / 4, addressOf(to) / 4];
          call.heap.f32[out] = 0;
          for (let i = 0; i < count; i++)
            call.heap.f32[out + i] = call.heap.f32[at + i]! * Math.tanh(call.heap.f32[at + i]!);
        });
      },
    });
    expect(await faultsOf(check(bend, undefined, { kernel }))).toContain("found in sample 0, 0-d on wasm");
  });

  it("a kernel differs from the rules", async () => {
    const kernel = kernelOf((value) => value * Math.sin(value));
    expect(await faultsOf(check(bend, undefined, { kernel }))).toContain(
      "on wasm differs from the rules of its record",
    );
  });

  it("a kernel is not deterministic", async () => {
    let runs = 0;
    const kernel = kernelOf((value) => value * Math.tanh(value) + 1e-7 * runs++);
    expect(await faultsOf(check(bend, undefined, { kernel }))).toMatch(
      /determinism: result 0 .* differs in a second run on wasm/,
    );
  });

  it("validate refuses a sample that infer accepts", async () => {
    const op = defineOp(SELF, {
      scalar: (self) => s.abs(self),
      validate: ({ self }) => (self.shape.length > 1 ? "only vectors are supported" : null),
    });
    expect(await faultsOf(check(op))).toMatch(/refusal: its rules refuse self=float32\[5, 7\]: .*only vectors/);
  });

  it("dtypes are promoted otherwise than the decomposition does", async () => {
    const op = defineOp("mine::sum(Tensor self, Tensor other) -> Tensor", {
      infer: ({ self }) => ({ dtype: self.dtype, shape: self.shape }),
      decompose: ({ self, other }, b) => b.tensor("aten::add.Tensor", { self, other }),
    });
    const found = await faultsOf(check(op, [{ self: x, other: x }]));
    expect(found).toContain("found in");
    expect(found).toContain("sample 0, operand 1 in float64");
  });

  it("dtypes are promoted otherwise than the reference does", async () => {
    const op = defineOp(SELF, { scalar: (self) => s.sign(self), promote: { kind: "numeric" } });
    const reference = ({ self: { shape, data } }: { readonly self: HostTensor<"int32"> }) =>
      hostTensor("float32", shape, Float32Array.from(data, Math.sign));
    const found = await faultsOf(check(op, undefined, { reference, dtypes: ["int32"] }));
    expect(found).toContain(
      "its rules promise int32[5, 7] for self=int32[5, 7], and the reference returns float32[5, 7]",
    );
  });

  it("a backend gives a view where the schema declares a new tensor", async () => {
    const viewing: OpEffects = { mutates: [], aliases: [{ output: 0, arg: "self" }] };
    const sharing: Backend = {
      ...shifted(0),
      capabilities: { ...backend.capabilities, mutation: true },
      async compile(request) {
        const { program, registry } = request;
        const effects: OpRegistry["effectsOf"] = (op) => (op === relu.name ? viewing : registry.effectsOf(op));
        return await backend.compile({ ...request, program: functionalize(program, effects) });
      },
    };
    const found = await faultsOf(check(relu, undefined, { backends: [sharing] }));
    expect(found).toMatch(/effects: result 0 .* follows a later write to an operand, and the schema does not declare/);
    expect(found).toContain("has 1 fault");
  });

  it("a backend differs", async () => {
    const backends = [backend, shifted(1e-3)];
    const found = await faultsOf(check(bend, undefined, { backends }));
    expect(found).toContain("on shifted differs");
    expect(found).toContain("has 1 fault");
  });

  it("a kernel refuses what the rules compute", async () => {
    const kernel = wasmKernel({
      ops: [bend],
      prepare(call, { self }) {
        if (self.dtype !== "float32") throw new Error("only float32");
        call.copy(call.tensor(self), call.output());
      },
    });
    expect(await faultsOf(check(defineOp(SELF, { scalar: (self) => self }), undefined, { kernel }))).toContain(
      "refusal: wasm",
    );
  });

  it("a scalar rule has more operands than the schema", async () => {
    const op = defineOp(SELF, { scalar: ((self: never, other: never) => s.add(self, other)) as never });
    expect(await faultsOf(check(op))).toContain("schema: `scalar` takes 2 operands, and the schema has 1: self");
  });

  it("a decomposition has another number of results", async () => {
    const op = defineOp("mine::two(Tensor self) -> (Tensor, Tensor)", {
      decompose: (({ self }: never) => [self]) as never,
    });
    expect(await faultsOf(check(op))).toContain("but the op has 2 results");
  });

  it("a rule throws", async () => {
    const op = defineOp(SELF, { decompose: ({ self }) => (self as unknown as { a: { b: never } }).a.b });
    expect(await faultsOf(check(op))).toContain("`decompose` rule of mine::bend failed");
  });

  it("a sample does not fit the schema", async () => {
    // @ts-expect-error The compiler knows the schema.
    expect(await faultsOf(checkOp(bend, [{ slef: x }], { backends: [backend] }))).toContain("has `slef`");
    expect(await faultsOf(check(bend, [{ slef: x }]))).toContain(
      "sample: sample 0 has `slef`, and the schema has `self`",
    );
    expect(await faultsOf(check(bend, [{ self: 3 }]))).toContain("sample 0 has 3 for `self`, which is Tensor");
    expect(await faultsOf(check(bend, [{}]))).toContain("sample 0 lacks `self`");
    expect(await faultsOf(check(bend, []))).toContain("no sample was given");
    expect(await faultsOf(check(bend, undefined, { backends: [] }))).toContain("no backend was given");
  });

  it("an op without rules has no results", async () => {
    expect(await faultsOf(check(defineOp(SELF)))).toContain("no rule says which dtypes and shapes the results have");
  });

  it("several faults are listed together", async () => {
    const op = defineOp(SELF, {
      infer: ({ self: { shape } }) => ({ dtype: "float32", shape }),
      decompose: ({ self }) => self,
    });
    expect(await faultsOf(check(op, [{ self: x }, { other: x }]))).toContain("mine::bend has 3 faults:");
  });
});

/** A product whose gradient can be broken in one place. */
function product({ self: ofSelf, other: ofOther, reduced = true }: ProductGradient = {}): OpRecord {
  return defineOp("mine::product(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => b.tensor("aten::mul.Tensor", { self, other }),
    gradient({ args: { self, other }, grads: [grad] }, b) {
      const times = (a: TensorMeta, factor: number, to: TensorMeta): TensorMeta => {
        const full = b.tensor("aten::mul.Tensor", {
          self: b.tensor("aten::mul.Tensor", { self: grad!, other: a }),
          other: { float: factor },
        });
        if (!reduced || full.shape.length === to.shape.length) return full;
        return b.tensor("aten::sum.dim_IntList", { self: full, dim: [0] });
      };
      return {
        self: ofSelf === null ? null : times(other, ofSelf ?? 1, self),
        other: ofOther === null ? null : times(self, ofOther ?? 1, other),
      };
    },
  });
}

interface ProductGradient {
  /** A factor of the gradient of an operand; null for no gradient. */
  readonly self?: number | null;
  readonly other?: number | null;
  readonly reduced?: boolean;
}

describe("gradients are compared with differences of results", () => {
  const samples = [{ self: x, other: someFloats(5, 7) }];
  const rows = [{ self: x, other: someFloats(7) }];

  it("a derived gradient passes, also where operands are broadcast", async () => {
    const op = defineOp("mine::gate(Tensor self, Tensor other, float by=1.5) -> Tensor", {
      scalar: (self, other, by) => s.mul(s.sigmoid(self), s.add(other, by)),
    });
    const report = await check(op, rows);
    expect(report).toMatchObject({ unchecked: [] });
    expect((report as OpReport).directions).toBeGreaterThan(20);
  });

  it("a gradient rule that does not reduce over what broadcasting enlarges is found", async () => {
    const found = await faultsOf(check(product({ reduced: false }), rows));
    expect(found).toContain("gradient: the gradient of `other` is float64[5, 7], and `other` is float64[7]");
  });

  it("a gradient with a wrong factor is found", async () => {
    const found = await faultsOf(check(product({ other: 2 }), samples));
    expect(found).toMatch(/gradient: the gradient of `other` for self=float64.* on wasm is .* along a direction/);
    expect(found).toContain("Correct the gradient of `other`");
    expect(found).not.toContain("Correct the gradient of `self`");
  });

  it("an operand without a gradient is found if results depend on it", async () => {
    const found = await faultsOf(check(product({ other: null }), rows));
    expect(found).toMatch(/gradient: no gradient flows to `other`, and the results of .* depend on it/);
  });

  it("a rule that throws is found", async () => {
    const op = defineOp(SELF, {
      decompose: ({ self }, b) => b.tensor("aten::relu", { self }),
      gradient: () => ({ self: (undefined as unknown as { readonly a: TensorMeta }).a }),
    });
    expect(await faultsOf(check(op))).toContain("gradient: the `gradient` rule fails for self=float64[5, 7]");
  });

  it("a gradient that cannot be derived is named in the report", async () => {
    const op = defineOp(SELF, { scalar: (self) => s.digamma(self) });
    const report = (await check(op, [{ self: floats([3], 1, 2, 3) }])) as OpReport;
    expect(report.unchecked.join()).toMatch(/the gradient: .*digamma/);
    const plain = defineOp(SELF, { decompose: ({ self }, b) => b.tensor("aten::relu", { self }) });
    expect(((await check(plain)) as OpReport).unchecked).toEqual(["the gradient: the op has no `gradient` rule"]);
  });

  it("the reference interpreter stands in for backends without float64", async () => {
    const narrow: Backend = shifted(0);
    const capabilities = {
      ...narrow.capabilities,
      dtypes: narrow.capabilities.dtypes.filter((each) => each !== "float64"),
    };
    const options = { backends: [{ ...narrow, capabilities }], dtypes: ["float32"] as const };
    expect(((await check(bend, undefined, options)) as OpReport).directions).toBeGreaterThan(5);
    expect(await faultsOf(check(product({ self: 0.5 }), samples, options))).toContain("Correct the gradient of `self`");
  });
});

it("an impure op is checked for its types alone", async () => {
  const op = defineOp("mine::noise(Tensor self) -> Tensor", {
    impure: true,
    decompose: ({ self }, b) => b.tensor("aten::rand_like", { self }),
  });
  await check(op, undefined, { dtypes: ["float32", "float64"] });
});

it("relu of PyTorch passes, by the record of a user", async () => {
  await check(relu);
});
