import { HostTensor, type Tensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { floats, ints } from "@pt2/conformance";
import { afterAll, describe, expect, it } from "vitest";
import { eagerOps } from "./eager-ops.ts";

const backend = wasm({ worker: false });
const { aten, ops, dispose } = await eagerOps(Promise.resolve(backend));
afterAll(() => backend.dispose());

const x = floats([2, 3], 1, 5, 3, 6, 2, 4);
const listOf = async (tensor: Tensor): Promise<unknown> => (await tensor.cpu()).tolist();

/** The type of a call from plain JavaScript. */
type Loose = Readonly<
  Record<
    string,
    ((...args: readonly unknown[]) => unknown) & Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
  >
>;
const loose = aten as unknown as Loose;

describe("results", () => {
  it("several are an array, and lists are arrays too", async () => {
    const [values, indices] = aten.topk(x, 2, { dim: -1 });
    expect([values.shape, values.dtype, indices.dtype]).toEqual([[2, 2], "float32", "int64"]);
    expect([await listOf(values), await listOf(indices)]).toEqual([
      [
        [5, 3],
        [6, 4],
      ],
      [
        [1n, 2n],
        [0n, 2n],
      ],
    ]);
    const parts = aten.split(x, 1);
    expect(parts.map(({ shape }) => shape)).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect(await listOf(aten.cat(parts, 1))).toEqual([[1, 5, 3, 6, 2, 4]]);
  });

  it("print their elements once they have been read", async () => {
    const y = aten.add(aten.mul(x, 2), 1);
    expect(String(y)).toBe("tensor(..., device='wasm', size=(2, 3))");
    await y.read();
    expect(String(y)).toBe("tensor([[ 3., 11.,  7.],\n        [13.,  5.,  9.]], device='wasm')");
    expect(y.tolist()).toEqual([
      [3, 11, 7],
      [13, 5, 9],
    ]);
  });
});

describe("numbers", () => {
  it("integers are ints of Python, others are floats", async () => {
    const i = ints([2], 1, 2);
    expect([aten.add(i, 2).dtype, aten.mul(i, 0.5).dtype, aten.add(i, { float: 2 }).dtype]).toEqual([
      "int64",
      "float32",
      "float32",
    ]);
    expect(await listOf(aten.mul(i, 0.5))).toEqual([0.5, 1]);
    expect(await listOf(aten.add(i, 2n ** 53n))).toEqual([2n ** 53n + 1n, 2n ** 53n + 2n]);
    expect([aten.full([2], 1).dtype, aten.full([2], true).dtype, aten.full([2], 1.5).dtype]).toEqual([
      "int64",
      "bool",
      "float32",
    ]);
  });

  it("-0 is the int 0, unless it is written as a float or only a float fits", async () => {
    const offset = 0;
    expect(aten.add(ints([2], 1, 2), -offset).dtype).toBe("int64");
    expect(aten.mul(ints([1], 1), { float: -0 }).dtype).toBe("float32");
    expect([aten.full([1], -0).dtype, aten.zeros([-0, 2]).shape]).toEqual(["int64", [0, 2]]);
    expect(await listOf(aten.slice(x, 1, -0, 1))).toEqual([[1], [6]]);
    expect(await listOf(aten.mul(floats([1], 1), -0))).toEqual([0]);
    expect(await listOf(aten.mul(floats([1], 1), { float: -0 }))).toEqual([-0]);
    expect(await listOf(aten.nan_to_num(floats([1], Number.NaN), { nan: -0 }))).toEqual([-0]);
  });

  it("beyond int64 are floats, but bigints are refused", async () => {
    const mask = aten.gt(x, 3);
    expect(await listOf(aten.masked_fill(x, mask, -1e30))).toEqual(
      await listOf(aten.masked_fill(x, mask, { float: -1e30 })),
    );
    expect(await listOf(aten.mul(floats([1], 2 ** -70), 2 ** 70))).toEqual([1]);
    expect(await listOf(aten.clamp(x, { min: -1e30, max: 1e30 }))).toEqual(await listOf(x));
    expect([aten.full([2], 1e30).dtype, aten.mul(ints([1], 1), 1e19).dtype]).toEqual(["float32", "float32"]);
    expect(() => aten.eq(ints([1], 5), 2n ** 64n + 5n)).toThrow(
      "the integer 18446744073709551621, which is beyond int64",
    );
  });
});

describe("conversions", () => {
  it("are those of PyTorch: integers wrap, one power keeps its exponent, and imaginary numbers are true", async () => {
    expect(await listOf(aten.arange(2 ** 40, 2 ** 40 + 3, { dtype: "uint8" }))).toEqual([0, 1, 2]);
    expect(await listOf(aten.logspace(0.5, 5, 1, { dtype: "int64" }))).toEqual([3n]);
    const imaginary = aten.complex(floats([2], 0, 0), floats([2], 0, 1));
    expect(await listOf(aten.sum(imaginary, { dtype: "bool" }))).toBe(true);
  });
});

describe("refusals", () => {
  it("numbers that integers cannot take are refused as PyTorch refuses them", async () => {
    const bytes = new HostTensor("uint8", [2], Uint8Array.of(250, 3));
    const whole = ints([2], 1, 2);
    const mask = new HostTensor("bool", [2], Uint8Array.of(1, 0));
    for (const call of [
      () => aten.clamp(bytes, { max: 300 }),
      () => aten.clamp_min(bytes, -300),
      () => aten.where(mask, bytes, 300),
      () => aten.where(mask, 300, bytes),
      () => aten.add(whole, whole, { alpha: 1.5 }),
      () => aten.sub(whole, 2, { alpha: { float: 2 } }),
      () => aten.lerp(whole, whole, 0.5),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: "registry.argument" }));
    }
    expect(await listOf(aten.clamp(bytes, { min: -1 }))).toEqual([255, 255]);
    expect(aten.clamp(bytes, { max: { float: 300 } }).dtype).toBe("float32");
    expect(aten.add(whole, 0.5, { alpha: 1.5 }).dtype).toBe("float32");
  });

  const refusal = (call: () => unknown): unknown => {
    try {
      call();
    } catch (error) {
      return error;
    }
    throw new Error("it was not refused");
  };

  it("arguments that fit no overload are refused with what is wrong for each", () => {
    expect(refusal(() => loose.pow!("2", 2))).toMatchObject({
      code: "eager.arguments",
      message: `No overload of aten.pow takes these arguments
  aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor: \`self\` must be Tensor, not "2"
  aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor: \`self\` must be Scalar, not "2"
  aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor: \`self\` must be Tensor, not "2"
  where: aten.pow
  what to do: pass arguments by position, then the others by name in one object at the end`,
    });
  });

  it.each<[string, () => unknown, RegExp]>([
    ["a missing argument", () => loose.topk!(x), /`k` is missing/],
    ["a name that is not there", () => loose.topk!(x, 2, { dims: 1 }), /has no argument `dims`; did you mean `dim`\?/],
    ["an argument twice", () => loose.topk!(x, 2, { k: 2 }), /`k` is given twice/],
    ["too many", () => loose.relu!(x, 1), /takes 1 positional arguments, not 2/],
    ["a keyword by position", () => loose.add!(x, x, 2), /takes 2 positional arguments, not 3/],
    ["a fraction for an int", () => loose.topk!(x, 1.5), /`k` must be SymInt, not 1.5/],
    ["another dtype", () => loose.to!(x, "float23"), /`dtype` must be ScalarType, not "float23"/],
    ["a number for a tensor", () => loose.maximum!(x, 1), /`other` must be Tensor, not 1/],
    ["a promise for a tensor", () => loose.relu!(aten.nonzero(x)), /`self` must be Tensor, not a Promise, .* awaited/],
    ["a typed array for a tensor", () => loose.relu!(new Float32Array(2)), /not a Float32Array/],
  ])("%s", (_, call, message) => {
    expect(refusal(call)).toMatchObject({ code: "eager.arguments", message: expect.stringMatching(message) });
  });

  it("an op or an overload that is not there is refused with the nearest name", () => {
    expect(refusal(() => loose.tpok!(x))).toMatchObject({
      code: "eager.unknown-op",
      what: "No op set has aten.tpok; did you mean `aten.topk`?",
    });
    expect(refusal(() => loose.nope!(x))).toMatchObject({ what: "No op set has aten.nope" });
    expect(refusal(() => loose.add!.Tensr!(x))).toMatchObject({ what: expect.stringContaining("`aten.add.Tensor`") });
    expect("then" in aten || "then" in ops).toBe(false);
  });

  it.each([
    ["an in-place op", () => loose.add_!(x, 1), "aten.add"],
    ["an operator in place", () => loose.__iand__!(x, 1), "aten.__and__"],
    ["an overload of it", () => loose.add_!.Tensor!(x, 1), "aten.add"],
    ["an out variant", () => loose.add!.out!(x, x, { out: x }), "aten.add"],
    ["the argument `out`", () => loose.add!(x, x, { out: x }), "aten.add"],
  ])("%s is refused with the op that returns a new tensor", (_, call, functional) => {
    expect(refusal(call)).toMatchObject({ code: "eager.mutation", details: { functional } });
  });

  it("what the rules of an op refuse is refused by the call", () => {
    expect(refusal(() => aten.mm(x, x))).toMatchObject({
      code: "registry.argument",
      message: expect.stringContaining("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    });
    expect(refusal(() => aten.pow(ints([1], 2), -1))).toMatchObject({
      code: "registry.argument",
      message: expect.stringContaining("Integers to negative integer powers are not allowed"),
    });
  });

  it("a backend of another version and impossible options are refused, and so are calls after dispose()", async () => {
    const other = Object.assign(Object.create(backend) as typeof backend, { apiVersion: 2 });
    await expect(eagerOps(other)).rejects.toMatchObject({ code: "eager.backend-version" });
    const wrong: readonly (readonly [given: readonly unknown[], what: string])[] = [
      [[backend, { programs: 0 }], "eagerOps() does not take `{ programs: 0 }`"],
      [[backend, { program: 3 }], "eagerOps() does not take `{ program: 3 }`; did you mean `programs`?"],
      [[backend, { precision: "fsat" }], 'eagerOps() does not take `{ precision: "fsat" }`'],
      [[backend, { ops: {} }], "eagerOps() does not take `{ ops: object }`"],
      [[backend, null], "eagerOps() does not take `null`"],
      [[wasm], "`backend` is a function, not a backend"],
      [[], "`backend` is not a backend"],
      [["wasm"], "`backend` is not a backend"],
    ];
    const make = eagerOps as (...given: readonly unknown[]) => Promise<unknown>;
    for (const [given, what] of wrong) {
      await expect(make(...given)).rejects.toMatchObject({ code: "eager.options", what });
    }
    await dispose();
    expect(refusal(() => aten.relu(x))).toMatchObject({ code: "eager.disposed" });
  });
});
