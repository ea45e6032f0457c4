import { parse, print, validate } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { grad } from "./index.ts";
import { ofInput, runProgram } from "./run-reference.test-helper.ts";

const x = [0.5, -1.5, 2];

async function gradientOf(body: string): Promise<readonly number[]> {
  const made = await grad(ofInput(body), { wrt: ["x"] });
  expect(validate(made)).toEqual([]);
  expect(validate(parse(print(made)))).toEqual([]);
  return runProgram(made, { x })[1]!;
}

const SQUARE = `graph body(%y: f64[]) {
    %a: f64[] = aten::mul.Tensor(self=%y, other=%y)
    return %a
  }`;

describe("loops", () => {
  it("gradients flow through the rows of map, also where it takes nothing else", async () => {
    const found = await gradientOf(`map: [%y: f64[3]] = higher_order::map_impl(${SQUARE}, [%x], [])`);
    expect(found).toEqual(x.map((value) => 2 * value));
  });

  it("and through what all rows take", async () => {
    const found = await gradientOf(`%n: f64[3] = aten::full(size=[3], fill_value=2, dtype=torch.float64)
      %s: f64[] = aten::sum(self=%x)
      map: [%y: f64[3]] = higher_order::map_impl(graph body(%a: f64[], %b: f64[]) {
        %c: f64[] = aten::mul.Tensor(self=%a, other=%b)
        return %c
      }, [%n], [%s])`);
    expect(found).toEqual([6, 6, 6]);
  });

  it("through the states of scan and its rows", async () => {
    // The state is the sum so far, and each row its product with the element: x0² + (x0 + x1) x1 + …
    const found = await gradientOf(`%zero: f64[] = aten::full(size=[], fill_value=0, dtype=torch.float64)
      scan: [%last: f64[], %y: f64[3]] = higher_order::scan(graph step(%carry: f64[], %row: f64[]) {
        %sum: f64[] = aten::add.Tensor(self=%carry, other=%row)
        %product: f64[] = aten::mul.Tensor(self=%sum, other=%row)
        return %sum, %product
      }, [%zero], [%x], [])`);
    expect(found).toEqual(x.map((value) => 1 + value));
  });

  it("through loops in loops", async () => {
    const found = await gradientOf(`%rows: f64[1, 3] = aten::unsqueeze(self=%x, dim=0)
      map: [%y: f64[1, 3]] = higher_order::map_impl(graph outer(%row: f64[3]) {
        map: [%r: f64[3]] = higher_order::map_impl(${SQUARE}, [%row], [])
        return %r
      }, [%rows], [])`);
    expect(found).toEqual(x.map((value) => 2 * value));
  });

  it("a loop that no gradient flows through stays one", async () => {
    const body = `%d: f64[3] = aten::detach(self=%x)
      map: [%m: f64[3]] = higher_order::map_impl(${SQUARE}, [%d], [])
      %y: f64[3] = aten::mul.Tensor(self=%x, other=%m)`;
    const made = await grad(ofInput(body), { wrt: ["x"] });
    expect(made.graph.nodes.map(({ op }) => op)).toContain("higher_order::map_impl");
  });

  it.each([
    [
      "while_loop",
      `%n: i64[] = aten::full(size=[], fill_value=0, dtype=torch.int64)
      while_loop: [%i: i64[], %y: f64[3]] = higher_order::while_loop(graph more(%k: i64[], %a: f64[3]) {
        %b: bool[] = aten::lt.Scalar(self=%k, other=3)
        return %b
      }, graph body(%k: i64[], %a: f64[3]) {
        %j: i64[] = aten::add.Tensor(self=%k, other=1)
        %c: f64[3] = aten::mul.Tensor(self=%a, other=2)
        return %j, %c
      }, [%n, %x], [])`,
    ],
    [
      "cond",
      `%s: f64[] = aten::sum(self=%x)
      %p: bool[] = aten::gt.Scalar(self=%s, other=0)
      cond: [%y: f64[3]] = higher_order::cond(%p, graph yes(%a: f64[3]) {
        %b: f64[3] = aten::neg(self=%a)
        return %b
      }, graph no(%a: f64[3]) {
        %b: f64[3] = aten::exp(self=%a)
        return %b
      }, [%x])`,
    ],
  ])("%s is refused by its name", async (op, body) => {
    await expect(grad(ofInput(body), { wrt: ["x"] })).rejects.toMatchObject({
      code: "autograd.no-gradient",
      details: { op: `higher_order::${op}` },
    });
  });
});
