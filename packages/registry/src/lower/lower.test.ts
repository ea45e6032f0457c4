import { parse } from "@pt2/graph";
import { expect, test } from "vitest";
import { aten } from "../aten.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import type { Call } from "./call.ts";
import { lower } from "./lower.ts";
import type { LowerTarget } from "./lower-target.ts";
import { isTensor, type LoweredTensor } from "./lowered-tensor.ts";
import type { Stage } from "./stage.ts";

const registry = createRegistry({ sets: [aten] });
const handlerContext = () => ({ backend: "test", initial: () => undefined });

function target(...native: readonly string[]): LowerTarget {
  return { name: "test", isNative: (op) => native.includes(op) };
}

function tensor(name: string, ...shape: readonly number[]): LoweredTensor {
  return { name, dtype: "float32", shape };
}

/** Lowers the body of a program for given inputs. */
function lowered(
  body: string,
  inputs: Readonly<Record<string, ArgValue>>,
  native: LowerTarget = target(),
): Promise<Stage> {
  const { graph } = parse(`program "TRAINING" torch "2.13.0" {
  forward()
  ${body.trim()}
}
`);
  return lower(graph, new Map(Object.entries(inputs)), { registry, target: native, handlerContext });
}

/** Formats each call as its op and the shape of its result: `op[2, 3]`. */
function shown({ calls }: { readonly calls: readonly Call[] }): readonly string[] {
  return calls.map(({ record, results }) => {
    const [first] = results;
    return isTensor(first) ? `${record.name}[${first.shape.join(", ")}]` : record.name;
  });
}

test("native ops are kept, and other ops decompose into native ones", async () => {
  const body = `
  user_input %x: f32[2, 3]
  user_input %w: f32[5, 3]
  %y: f32[2, 5] = aten::linear(input=%x, weight=%w)
  return %y`;
  const inputs = { x: tensor("x", 2, 3), w: tensor("w", 5, 3) };
  expect(shown(await lowered(body, inputs, target("aten::linear")))).toEqual(["aten::linear[2, 5]"]);
  const simpler = shown(await lowered(body, inputs, target("aten::mm")));
  expect(simpler.at(-1)).toBe("aten::mm[2, 5]");
  expect(simpler.slice(0, -1).every((call) => /^aten::(t|permute|transpose)/.test(call))).toBe(true);
});

test("symbolic arithmetic leaves no calls, because sizes are numbers during lowering", async () => {
  const stage = await lowered(
    `
  user_input %x: f32[s0, 3]
  %n: int = aten::sym_size.int(self=%x, dim=0)
  %m: int = _operator::mul(a=%n, b=2)
  %k: int = _operator::floordiv(a=%m, b=-4)
  %p: int = _operator::neg(a=%k)
  %y: f32[s1, 3] = aten::slice.Tensor(self=%x, dim=0, start=0, end=%p)
  return %y`,
    { x: tensor("x", 7, 3) },
  );
  // 14 // -4 is -4, as in Python.
  expect(shown(stage)).toEqual(["aten::slice.Tensor[4, 3]"]);
});

test("lowering breaks where sizes depend on data, and continues with the actual sizes", async () => {
  const stage = await lowered(
    `
  user_input %x: f32[4]
  %a: f32[4] = aten::relu(%x)
  %i: i64[u0, 1] = aten::nonzero(%a)
  %f: f32[u0, 1] = aten::mul.Tensor(self=%i, other=2.5)
  return %f, %x`,
    { x: tensor("x", 4) },
  );
  expect(shown(stage)).toEqual(["aten::relu[4]"]);
  expect(stage.end.kind).toBe("dynamic");
  expect([...stage.live].map(({ name }) => name).sort()).toEqual(["a", "x"]);
  const found: LoweredTensor = { name: "i", dtype: "int64", shape: [3, 1] };
  const rest = await stage.resume([found]);
  expect(shown(rest)).toEqual(["aten::mul.Tensor[3, 1]"]);
  expect(rest.calls[0]!.results[0]).toMatchObject({ dtype: "float32" });
  // A stage can be resumed again with other results.
  const none: LoweredTensor = { ...found, shape: [0, 1] };
  expect(shown(await stage.resume([none]))).toEqual(["aten::mul.Tensor[0, 1]"]);
});

const ints: LoweredTensor = { name: "i", dtype: "int64", shape: [3] };

test("a float and an int in place of a tensor promote differently", async () => {
  const dtypeOf = async (other: string): Promise<string> => {
    const { calls } = await lowered(
      `
  user_input %i: i64[3]
  %y: f32[3] = aten::mul.Tensor(self=%i, other=${other})
  return %y`,
      { i: ints },
    );
    return (calls[0]!.results[0] as LoweredTensor).dtype;
  };
  expect(await dtypeOf("2")).toBe("int64");
  expect(await dtypeOf("2.0")).toBe("float32");
});

test("the error for an op that cannot run names the op, the module and the line", async () => {
  const body = `
  user_input %x: f32[2]
  %y: f32[2] = my::op(%x)  # block.act <my.Act> (model.py:41, in forward)
  return %y`;
  await expect(lowered(body, { x: tensor("x", 2) })).rejects.toThrow(
    expect.objectContaining({
      code: "registry.unsupported-op",
      where: expect.stringMatching(/my::op.*block\.act, model\.py:41/),
    }),
  );
});

test("shapes that do not fit are refused at the node that combines them", async () => {
  const body = `
  user_input %x: f32[2, 3]
  user_input %z: f32[4]
  %y: f32[2, 3] = aten::add.Tensor(self=%x, other=%z)
  return %y`;
  await expect(lowered(body, { x: tensor("x", 2, 3), z: tensor("z", 4) })).rejects.toThrow(
    expect.objectContaining({ name: "Pt2Error", code: "registry.shape" }),
  );
});
