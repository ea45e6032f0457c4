import type { CompileRequest, Value } from "@pt2/backend";
import { floats, ints, programOf, registryOf, someFloats, weightsOf } from "@pt2/conformance";

/**
 * Makes a program with all that a load and a run may do: it packs a weight, folds another, looks rows up, has a graph
 * break, and counts its runs in a buffer, which it adds to its result.
 */
export function countingProgram(rows: number | "s0"): CompileRequest {
  const program = programOf(`
    parameter "w" = %w: f32[16, 8]
    parameter "v" = %v: f32[16]
    buffer "count" = %count: f32[]
    user_input %x: f32[${rows}, 8]
    user_input %at: i64[2]
    %h: f32[${rows}, 16] = aten::linear(input=%x, weight=%w)
    %e: f32[16] = aten::exp(self=%v)
    %a: f32[${rows}, 16] = aten::add.Tensor(self=%h, other=%e)
    %rows: f32[2, 16] = aten::embedding(weight=%a, indices=%at)
    %mask: bool[2, 16] = aten::gt.Scalar(self=%rows, other=1.0)
    %some: f32[u0] = aten::index.Tensor(self=%rows, indices=[%mask])
    %sum: f32[] = aten::sum(self=%some)
    %z: f32[] = aten::add.Tensor(self=%sum, other=%count)
    %next: f32[] = aten::add.Scalar(self=%count, other=1)
    return %next -> buffer_mutation "count", %z`);
  const weights = weightsOf({ w: someFloats(16, 8), v: someFloats(16), count: floats([], 0) });
  return { program, weights, registry: registryOf() };
}

/** Returns the inputs that it is called with. */
export function countingInputs(rows: number): readonly Value[] {
  return [someFloats(rows, 8), ints([2], 1, 0)];
}
