import { Pt2Error } from "@pt2/format";
import { parse } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { describe, expect, it } from "vitest";
import { effectsOf } from "./effects.ts";
import { defineOp } from "./op.ts";
import { resolveArgs } from "./op-registry.ts";
import { parseSchema } from "./schema/parse.ts";
import { torchSchemas } from "./schemas.ts";
import type { ArgValue } from "./tensor-meta.ts";
import { createRegistry } from "./user-ops/create-registry.ts";
import { wrapNumber } from "./wrapped.ts";

const relu = defineOp("my::relu(Tensor self) -> Tensor", { scalar: (x) => x });
const addOut = defineOp("my::add.Tensor(Tensor self, Tensor other) -> Tensor", { scalar: (x) => x });
const set = { name: "mine", ops: [relu, addOut] };
const handler = (...ops: string[]) => ({ ops, rewrite: () => undefined });
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Pt2Error ? error.code : `${error}`;
  }
  return "none";
};

describe("createRegistry", () => {
  it("a registry resolves exact overloads in every spelling", () => {
    const registry = createRegistry({ sets: [set] });
    expect(registry.resolve("my::relu")?.schema).toBe(relu.schema);
    expect(registry.resolve("torch.ops.my.add.Tensor")?.schema).toBe(addOut.schema);
    expect(registry.resolve("my::add")).toBeUndefined();
    expect(registry.list()).toEqual([
      { op: "my::add.Tensor", source: "mine", handled: false },
      { op: "my::relu", source: "mine", handled: false },
    ]);
  });

  it("a registry refuses a second record or handler without `replace`", () => {
    const again = { name: "other", ops: [relu] };
    expect(codeOf(() => createRegistry({ sets: [set, again] }))).toBe("registry.duplicate");
    expect(createRegistry({ sets: [set, { ...again, replace: true }] }).list()[1]?.source).toBe("other");
    const [a, b] = [handler("my::relu"), handler("my.relu.default")];
    expect(codeOf(() => createRegistry({ sets: [set], handlers: [a, b] }))).toBe("registry.duplicate");
    const replacing = { ...b, replace: true };
    expect(createRegistry({ sets: [set], handlers: [a, replacing] }).handlerOf("my::relu")?.ops).toBe(replacing.ops);
  });

  it("a registry returns a wildcard handler only if none names the overload", () => {
    const [any, one] = [handler("my::add.*"), handler("my::add.Tensor")];
    const registry = createRegistry({ sets: [set], handlers: [any, one] });
    expect(registry.handlerOf("my::add.Tensor")?.ops).toBe(one.ops);
    expect(registry.handlerOf("my::add.Scalar")?.ops).toBe(any.ops);
    expect(registry.handlerOf("my::add")?.ops).toBe(any.ops);
    expect(registry.handlerOf("my::relu")).toBeUndefined();
  });

  it("a registry derives in-place ops from their functional variants", () => {
    const record = createRegistry({ sets: [set] }).resolve("my::add_.Tensor");
    expect(record?.schema).toEqual(parseSchema("my::add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"));
    expect(createRegistry({ sets: [set] }).effectsOf("my::add_.Tensor")).toEqual({
      mutates: ["self"],
      aliases: [{ output: 0, arg: "self" }],
      functional: "my::add.Tensor",
    });
  });
});

describe("what users mistake", () => {
  const of = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      return error instanceof Pt2Error ? `${error.code}: ${error.what}` : `${error}`;
    }
    return "nothing";
  };

  it("an unknown rule is named, with the one that was probably meant", () => {
    const wrong = { scaler: (x: unknown) => x } as object;
    expect(of(() => defineOp("my::f(Tensor x) -> Tensor", wrong))).toBe(
      "registry.rule: The definition of my::f has `scaler`, which is not a rule; did you mean `scalar`?",
    );
    expect(of(() => defineOp("my::f(Tensor x) -> Tensor", { kernels: 1 } as object))).toBe(
      "registry.rule: The definition of my::f has `kernels`, which is not a rule",
    );
  });

  it("an unknown requirement is named, with the one that was probably meant", () => {
    const wrong = (requires: object) => of(() => defineOp("my::f(Tensor x) -> Tensor", { requires }));
    expect(wrong({ rank: { x: [2] } })).toBe(
      "registry.rule: The definition of my::f has `rank`, which is not a requirement; did you mean `ranks`?",
    );
  });

  it("a kernel for an op that does not exist is refused, with a suggestion", () => {
    const kernels = (...ops: string[]) => createRegistry({ sets: [{ ...set, kernels: { wasm: [{ ops }] } }] });
    expect(of(() => kernels("my::relu", "my::rleu"))).toBe(
      'registry.kernels: Op set "mine" has a kernel for wasm that names my::rleu, which no op set defines; did you mean my::relu?',
    );
    expect(of(() => kernels("my.relu.default"))).toContain(
      "names my.relu.default, which no op set defines; did you mean my::relu?",
    );
    expect(of(() => kernels("your::op"))).toContain("names your::op, which no op set defines");
    expect(of(() => kernels("my::relu_", "my::add.Tensor"))).toBe("nothing");
  });

  it("the error for an op without a kernel names the backends that its kernels are for", () => {
    const bare = {
      name: "mine",
      ops: [defineOp("my::f(Tensor x) -> Tensor")],
      kernels: { wsam: [{ ops: ["my::f"] }] },
    };
    expect(createRegistry({ sets: [bare] }).lackOf("my::f", "wasm")).toBe(
      'its record in op set "mine" has neither scalar, view, decompose nor compute; its kernels are for wsam, not for wasm',
    );
    expect(createRegistry({ sets: [{ ...bare, builtIn: true }] }).lackOf("my::f", "wasm")).toBe(null);
  });
});

describe("effectsOf", () => {
  it.each([
    ["aten::add.Tensor", { mutates: [], aliases: [] }],
    ["aten::view", { mutates: [], aliases: [{ output: 0, arg: "self" }] }],
    ["aten::split.Tensor", { mutates: [], aliases: [{ output: 0, arg: "self" }] }],
    ["aten::add.out", { mutates: ["out"], aliases: [{ output: 0, arg: "out" }] }],
    ["aten::copy_", { mutates: ["self"], aliases: [{ output: 0, arg: "self" }] }],
    ["aten::__and__.Tensor", { mutates: [], aliases: [] }],
    // The annotation allows either alias set: some calls copy.
    ["aten::to.prim_dtype", { mutates: [], aliases: [{ output: 0, arg: "self", copies: true }] }],
  ])("effectsOf reads %s", (name, effects) => {
    expect(effectsOf({ schema: torchSchemas.schemaOf(name)! })).toEqual(effects);
  });

  it("effectsOf tells a conversion from a view in every overload", () => {
    const program = parse(`program {
      user_input %x: f32[2]
      %c: f64[2] = aten::to.prim_dtype(self=%x, dtype=7)
      %in: f64[2] = aten::add_.Tensor(%c, other=1.0)
      return %x, %c
    }`);
    const { outputs } = functionalize(program, (op) => {
      const schema = torchSchemas.schemaOf(op);
      return schema && effectsOf({ schema });
    });
    expect(outputs).toEqual([{ kind: "user_output" }, { kind: "user_output" }]);
  });

  it("effectsOf adds aliases that the schema does not declare", () => {
    expect(
      effectsOf({ schema: torchSchemas.schemaOf("aten::batch_norm")!, mutates: ["running_mean"] }).mutates,
    ).toEqual(["running_mean"]);
  });
});

describe("resolveArgs", () => {
  const schema = parseSchema(
    "my::f(Tensor self, int[2] size=1, float eps=1e-5, *, Scalar alpha=1, Tensor? mask=None, int end=9223372036854775807) -> Tensor",
  );
  const self = { dtype: "float32", shape: [2] } as const;

  it("resolveArgs orders arguments, fills in defaults and converts numbers", () => {
    const args = resolveArgs(schema, { alpha: { float: 2 }, eps: 1n, size: 3, self });
    expect(Object.keys(args)).toEqual(["self", "size", "eps", "alpha", "mask", "end"]);
    expect(args).toMatchObject({ size: [3, 3], eps: 1, alpha: { float: 2 }, mask: null, end: 2 ** 53 });
    expect(resolveArgs(schema, { self, mask: true, end: -(2n ** 63n) })).toMatchObject({
      mask: wrapNumber(true),
      end: -(2 ** 53),
      size: [1, 1],
    });
  });

  it("a number for a Scalar is a float if it has a fraction or is beyond int64", () => {
    const alpha = (given: ArgValue) => resolveArgs(schema, { self, alpha: given }).alpha;
    expect([alpha(0.5), alpha(1e30), alpha(2 ** 63), alpha(-(2 ** 63) - 2048)]).toEqual([
      { float: 0.5 },
      { float: 1e30 },
      { float: 2 ** 63 },
      { float: -(2 ** 63) - 2048 },
    ]);
    expect([alpha(2 ** 60), alpha(-(2 ** 63)), alpha(2n ** 60n)]).toEqual([2 ** 60, -(2 ** 63), 2n ** 60n]);
    expect(resolveArgs(schema, { self, mask: 1e30 }).mask).toEqual(wrapNumber({ float: 1e30 }));
  });

  it.each<[string, Record<string, ArgValue>]>([
    ["argument `self` is missing", {}],
    [
      "argument `alpha` must be Scalar, not the integer 9223372036854775808, which is beyond int64",
      { self, alpha: 2n ** 63n },
    ],
    ["argument `mask` must be Tensor?, not the integer -9223372036854775809", { self, mask: -(2n ** 63n) - 1n }],
    ["argument `banana` is unknown", { self, banana: 1 }],
    ["argument `self` must be Tensor, not None", { self: null }],
    ['argument `eps` must be float, not "x"', { self, eps: "x" }],
    ["argument `size` must be int[2], not a list of 1", { self, size: [{ float: 1.5 }] }],
    ["argument `end` must be int, not a float32 tensor of shape [2]", { self, end: self }],
  ])("resolveArgs reports that %s", (what, given) => {
    expect(codeOf(() => resolveArgs(schema, given))).toBe("registry.argument");
    expect(() => resolveArgs(schema, given, () => "node relu_1")).toThrow(what);
    expect(() => resolveArgs(schema, given, () => "node relu_1")).toThrow("node relu_1");
  });
});
