import { type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { floats } from "@pt2/conformance";
import { createRegistry, defineOp, type HandlerTensor, type OpHandler, type OpSet } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { scalar as s } from "@pt2/registry/scalar";
import { expect, it } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { compileBody, elementsOf } from "../programs.test-helper.ts";
import type { LibtorchKernel } from "./kernel.ts";

const program = (rows: string): string => `
  parameter "scale" = %scale: f32[3]
  user_input %x: f32[${rows}, 3]
  %before: f32[${rows}, 3] = aten::relu(%x)
  %custom: f32[${rows}, 3] = my::scaled(x=%before, scale=%scale)
  %after: f32[${rows}, 3] = aten::neg(%custom)
  return %after`;
const NESTED = `
  parameter "scale" = %scale: f32[3]
  user_input %p: bool[]
  user_input %x: f32[2, 3]
  cond: [%y: f32[2, 3]] = higher_order::cond(%p, graph yes(%t: f32[2, 3], %u: f32[3]) {
    %a: f32[2, 3] = aten::relu(%t)
    %b: f32[2, 3] = my::scaled(x=%a, scale=%u)
    return %b
  }, graph no(%t: f32[2, 3], %u: f32[3]) {
    %a: f32[2, 3] = aten::clone(%t)
    return %a
  }, [%x, %scale])
  %z: f32[2, 3] = aten::neg(%y)
  return %z`;
const SCHEMA = "my::scaled(Tensor x, Tensor scale) -> Tensor";
const scale = floats([3], 2, 3, 4);
const x = floats([2, 3], 1, -1, 2, 0, 5, -3);
const expected = [-2, -0, -8, -0, -15, -0];

const rewriting: OpHandler = {
  ops: ["torch.ops.my.scaled.default"],
  rewrite: ({ x, scale }, b) => b.tensor("aten::mul.Tensor", { self: x!, other: scale! }),
};
const compiling: OpHandler = {
  ops: ["my::scaled"],
  compile(_, context) {
    const factors = context.initial("scale");
    return ({ args, call }) => call("aten::mul.Tensor", { self: args.x, other: factors ?? args.scale });
  },
};
const synchronous: OpHandler = {
  ops: ["my::scaled"],
  compile: () => (frame) => {
    const { dtype, shape, data } = frame.args.x as HandlerTensor & { readonly data: Float32Array };
    const factors = (frame.args.scale as HandlerTensor).data as Float32Array;
    return { dtype, shape, data: data.map((value, i) => value * factors[i % 3]!) };
  },
};
const own = (rules: Parameters<typeof defineOp>[1], kernels: readonly unknown[] = []): OpSet => ({
  name: "my",
  ops: [defineOp(SCHEMA, rules)],
  kernels: { libtorch: kernels },
});
const kernel: LibtorchKernel = {
  ops: ["my::scaled"],
  call: ({ x, scale }, torch) => torch.call("aten::mul.Tensor", { self: x, other: scale }),
};

describeWithLibtorch("handlers and op sets", ({ addon }) => {
  const backend = new LibtorchBackend(addon);
  const runs = async (
    body: string,
    inputs: readonly Value[],
    sets: readonly OpSet[],
    handlers: readonly OpHandler[] = [],
  ): Promise<readonly unknown[]> => {
    const registry = createRegistry({ sets: [aten, ...sets], handlers });
    const executable = await compileBody(backend, body, { scale }, { registry });
    await executable.run(inputs);
    const results = (await executable.run(inputs)).map(elementsOf);
    await executable.dispose();
    return results[0]!;
  };

  const scalar = own({ scalar: (x, scale) => s.mul(x, scale) });
  const ways: readonly (readonly [string, readonly OpSet[], readonly OpHandler[]])[] = [
    ["a scalar expression", [scalar], []],
    [
      "a decomposition",
      [own({ decompose: ({ x, scale }, b) => b.tensor("aten::mul.Tensor", { self: x, other: scale }) })],
      [],
    ],
    ["a handler that rewrites", [own({})], [rewriting]],
    ["a handler that rewrites an op without a record", [], [rewriting]],
    ["a handler's function", [], [compiling]],
    ["a handler's function before the record's rule", [own({ scalar: (x) => x })], [synchronous]],
    ["a kernel before the record's rule", [own({ scalar: (x) => x }, [kernel])], []],
  ];
  it.each(ways)("%s, with sizes that are fixed or not, and in a branch", async (_, sets, handlers) => {
    expect(await runs(program("2"), [x], sets, handlers)).toEqual(expected);
    expect(await runs(program("s0"), [x], sets, handlers)).toEqual(expected);
    const yes = hostTensor("bool", [], Uint8Array.of(1));
    expect(await runs(NESTED, [yes, x], sets, handlers)).toEqual(expected);
  });

  it("a handler is compiled once at load, and its failure is the run's", async () => {
    let compiled = 0;
    const failing: OpHandler = {
      ops: ["my::scaled"],
      compile(node) {
        compiled++;
        expect(node.where).toContain("my::scaled");
        return () => {
          throw new Error("the handler is ill");
        };
      },
    };
    const registry = createRegistry({ sets: [aten], handlers: [failing] });
    const executable = await compileBody(backend, program("2"), { scale }, { registry });
    expect(compiled).toBe(1);
    for (let i = 0; i < 2; i++) await expect(executable.run([x])).rejects.toThrow("the handler is ill");
    expect(compiled).toBe(1);
    await executable.dispose();
  });

  it("functions that answer at once run on the calling thread, others are refused there", async () => {
    const compile = (handler: OpHandler) =>
      compileBody(
        backend,
        program("2"),
        { scale },
        { registry: createRegistry({ sets: [aten], handlers: [handler] }) },
      );
    const fine = await compile(synchronous);
    expect(elementsOf(fine.runSync([x])[0])).toEqual(expected);
    const late = await compile(compiling);
    expect(() => late.runSync([x])).toThrow(expect.objectContaining({ code: "libtorch.async-handler" }));
    await Promise.all([fine.dispose(), late.dispose()]);
  });

  it("a kernel that does not wait for its calls, or returns something that is not a result, is refused", async () => {
    const outcome = (call: unknown) => {
      const kernel = { ops: ["my::scaled"], call } as LibtorchKernel;
      return runs(program("s0"), [x], [own({}, [kernel])]);
    };
    const told = (what: string) => ({ code: "registry.result", what: `The kernel of my::scaled ${what}` });
    type Call = LibtorchKernel["call"];
    const unawaited: Call = async (args, torch) => [torch.call("aten::nothing", args)] as never;
    await expect(outcome(unawaited)).rejects.toMatchObject(told("returned a Promise, not a tensor"));
    await expect(outcome(() => undefined)).rejects.toMatchObject(told("returned nothing, not a tensor"));
    await expect(outcome(async () => [])).rejects.toMatchObject(told("returned 0 of 1 results"));
    const first: Call = async ({ scale }) => [scale as HostTensor];
    await expect(outcome(first)).rejects.toMatchObject(
      told("returned float32 [3] as result 0, but the program declares float32 [2, 3]"),
    );
  });

  it("an op with a scalar expression computes that expression", async () => {
    const op = "my::odd(Tensor x) -> Tensor";
    const odd: OpSet = {
      name: "my",
      ops: [defineOp(op, { scalar: (x) => s.select(s.lt(x, 0), s.exp(x), s.add(s.mod(x, 2), s.max(x, 0.5))) })],
    };
    const registry = createRegistry({ sets: [aten, odd] });
    const body = `
  user_input %x: f32[4]
  %y: f32[4] = my::odd(x=%x)
  return %y`;
    const executable = await compileBody(backend, body, {}, { registry });
    const [y] = await executable.run([floats([4], -1, 0, 3, 4.25)]);
    expect(elementsOf(y)).toEqual([Math.fround(Math.exp(-1)), 0.5, 4, 4.5]);
    await executable.dispose();
  });
});
