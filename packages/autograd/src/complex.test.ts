import { type Program, parse, print, validate } from "@pt2/graph";
import { defineOp } from "@pt2/registry";
import { describe, expect, it } from "vitest";
import { grad } from "./index.ts";

// What gradients through complex numbers are is compared with PyTorch's in tests/src.

/** A program of pairs of numbers `x`, which are `%z` as complex ones; `body` computes `%y`. */
const ofPairs = (body: string, inputs = ""): Program =>
  parse(`program {
  user_input %x: f32[3, 2]
  ${inputs}
  forward ("x"${inputs === "" ? "" : ', "w"'})
  in_spec tuple(tuple(*${inputs === "" ? "" : ", *"}), dict())
  out_spec *
  %z: c64[3] = aten::view_as_complex(self=%x)
  ${body}
  %loss: f32[] = aten::sum(self=%y)
  return %loss
}`);

const opsOf = ({ graph }: Program): readonly string[] => graph.nodes.map(({ op }) => op);

describe("complex numbers", () => {
  it("keep their ops where these have rules", async () => {
    const made = await grad(
      ofPairs(`%p: c64[3] = aten::mul.Tensor(self=%z, other=%z)
      %y: f32[3] = aten::abs(self=%p)`),
      { wrt: ["x"] },
    );
    expect(validate(made)).toEqual([]);
    expect(validate(parse(print(made)))).toEqual([]);
    expect(opsOf(made).slice(0, 5)).toEqual([
      "aten::clone",
      "aten::view_as_complex",
      "aten::mul.Tensor",
      "aten::abs",
      "aten::sum.dim_IntList",
    ]);
    expect(opsOf(made)).toContain("aten::conj_physical");
  });

  it("an op without a rule is an error that names it", async () => {
    const program = ofPairs(`%m: c64[1] = aten::slice.Tensor(self=%z, dim=0, end=1)
      %v: c64[1, 1] = aten::unsqueeze(self=%m, dim=0)
      %s: c64[1, 1], %i: i32[] = aten::linalg_inv_ex(A=%v)
      %y: f32[1, 1] = aten::abs(self=%s)`);
    await expect(grad(program, { wrt: ["x"] })).rejects.toMatchObject({
      code: "autograd.no-gradient",
      message: expect.stringContaining("aten::linalg_inv_ex has no gradient rule for complex numbers"),
    });
    const fromReal = ofPairs(`%m: f32[2, 2] = aten::slice.Tensor(self=%x, dim=0, start=1)
      %v: c64[2] = aten::linalg_eigvals(self=%m)
      %y: f32[2] = aten::abs(self=%v)`);
    await expect(grad(fromReal, { wrt: ["x"] })).rejects.toMatchObject({ code: "autograd.no-gradient" });
  });

  it("may be what gradients are taken of, and no loss", async () => {
    const program = ofPairs(
      `%p: c64[3] = aten::mul.Tensor(self=%z, other=%w)
      %y: f32[3] = aten::real(self=%p)`,
      "user_input %w: c64[3]",
    );
    const made = await grad(program, { wrt: ["w"] });
    const [, gradient] = made.graph.outputs;
    expect(gradient?.kind === "value" && made.graph.values.get(gradient.name)).toMatchObject({ dtype: "complex64" });
    const complex = ofPairs("%y: c64[3] = aten::neg(self=%z)");
    await expect(grad(complex, { wrt: ["x"], of: 0 })).rejects.toMatchObject({ code: "autograd.of" });
  });

  it("gradients have the dtypes of their operands", async () => {
    const program = ofPairs(
      `%p: c128[3] = aten::mul.Tensor(self=%z, other=%w)
      %y: f64[3] = aten::abs(self=%p)`,
      "user_input %w: f64[3]",
    );
    const made = await grad(program, { wrt: ["x", "w"] });
    const dtypes = made.graph.outputs.slice(1).map((arg) => {
      const type = arg.kind === "value" ? made.graph.values.get(arg.name) : undefined;
      return type?.kind === "tensor" ? type.dtype : null;
    });
    expect(dtypes).toEqual(["float32", "float64"]);
  });

  it("a rule of an op of your own gets them", async () => {
    const own = defineOp("my::turn(Tensor self) -> Tensor", {
      infer: ({ self }) => self,
      gradient: ({ grads: [grad] }, b) => ({ self: b.tensor("aten::conj_physical", { self: grad! }) }),
    });
    const program = ofPairs(`%t: c64[3] = my::turn(self=%z)
      %y: f32[3] = aten::real(self=%t)`);
    const made = await grad(program, { wrt: ["x"], ops: [{ name: "my", ops: [own] }] });
    expect(opsOf(made)).toContain("aten::conj_physical");
  });
});
