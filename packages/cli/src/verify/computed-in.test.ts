import { parse } from "@pt2/graph";
import { expect, it } from "vitest";
import { registryWith } from "../user-ops.ts";
import { computedIn, tolerated } from "./computed-in.ts";

const REGISTRY = registryWith({ ops: [], handlers: [] });

async function computed(lines: string): Promise<Readonly<Record<string, string>>> {
  await REGISTRY.load("all");
  const program = parse(`program {
  parameter "w" = %w: bf16[3, 3]
  parameter "v" = %v: f32[3, 3]
  user_input %x: f32[3, 3]
  user_input %i: i64[3]
${lines}
  return %y
}`);
  return Object.fromEntries(computedIn(program, REGISTRY));
}

it("what is computed in half precision, or rounded to it, is less precise whatever it is converted to", async () => {
  expect(
    await computed(`
  %a: bf16[3, 3] = aten::_to_copy(self=%x, dtype=torch.bfloat16)
  %b: bf16[3, 3] = aten::mm(self=%a, mat2=%w)
  %c: f32[3, 3] = aten::_to_copy(self=%b, dtype=torch.float32)
  %d: f32[3, 3] = aten::mm(self=%c, mat2=%v)
  %e: f32[3, 3] = aten::mm(self=%x, mat2=%v)
  %f: f16[3, 3] = aten::_to_copy(self=%e, dtype=torch.float16)
  %g: f32[3, 3] = aten::add.Tensor(self=%f, other=%v)
  %y: f32[3, 3] = aten::add.Tensor(self=%g, other=%d)`),
  ).toEqual({ b: "bfloat16", c: "bfloat16", d: "bfloat16", e: "float32", f: "float16", g: "float16", y: "bfloat16" });
});

it("weights and inputs are exact in any dtype, and so is what moves or converts them", async () => {
  expect(
    await computed(`
  %a: bf16[3, 3] = aten::t(self=%w)
  %b: bf16[3, 3] = aten::embedding(weight=%a, indices=%i)
  %c: bf16[3, 6] = aten::cat(tensors=[%a, %b], dim=1)
  %d: bf16[3, 3] = aten::_to_copy(self=%x, dtype=torch.bfloat16)
  %e: f32[3, 3] = aten::_to_copy(self=%d, dtype=torch.float32)
  %f: f16[3, 3] = aten::full(size=[3, 3], fill_value=0.5, dtype=torch.float16)
  %g: f32[3, 3] = aten::to.dtype(self=%f, dtype=torch.float32)
  %h: f32[3, 6] = aten::to.dtype(self=%c, dtype=torch.float32)
  %k: f32[3, 3] = aten::mm(self=%e, mat2=%g)
  %y: f32[3, 6] = aten::mm(self=%k, mat2=%h)`),
  ).toEqual({ k: "float32", y: "float32" });
});

it("graphs inside of a node count, and so do integers that floats lead to", async () => {
  expect(
    await computed(`
  %p: bool = _operator::gt(a=2, b=1)
  cond: [%a: f32[3, 3]] = higher_order::cond(%p, graph yes(%z: f32[3, 3]) {
    %b: bf16[3, 3] = aten::_to_copy(self=%z, dtype=torch.bfloat16)
    %c: bf16[3, 3] = aten::mul.Tensor(self=%b, other=%b)
    %d: f32[3, 3] = aten::_to_copy(self=%c, dtype=torch.float32)
    return %d
  }, graph no(%z: f32[3, 3]) {
    %q: f32[3, 3] = aten::neg(self=%z)
    return %q
  }, [%x])
  %j: i64[3] = aten::argmax(self=%a, dim=1)
  %y: f32[3, 3] = aten::index_select(self=%x, dim=0, index=%j)`),
  ).toMatchObject({ a: "bfloat16", j: "bfloat16", y: "bfloat16" });
});

it("a value has the tolerance of the less precise of two dtypes, and integers keep theirs", () => {
  expect(tolerated("float32", "bfloat16")).toBe("bfloat16");
  expect(tolerated("bfloat16", "float16")).toBe("bfloat16");
  expect(tolerated("float32", "float32")).toBe("float32");
  expect(tolerated("complex64", "float32")).toBe("complex64");
  expect(tolerated("complex128", "float32")).toBe("float32");
  expect(tolerated("float64", undefined)).toBe("float64");
  expect(tolerated("int64", "bfloat16")).toBe("int64");
});
