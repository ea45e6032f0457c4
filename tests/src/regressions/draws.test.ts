import { wasm } from "@pt2/backend-wasm/node";
import { parse } from "@pt2/graph";
import { load, tensor } from "@pt2/runtime/node";
import { afterAll, describe, expect, it } from "vitest";

const backend = wasm({ worker: false });
afterAll(() => backend.dispose());

/** Runs a program of one input after a seed, and returns its result. */
async function drawn(body: string, rows: readonly (readonly number[])[]): Promise<readonly number[]> {
  const type = `f32[${rows.length}, ${rows[0]!.length}]`;
  const program = parse(`program {
    user_input %x: ${type}
    forward(x)
    in_spec tuple(tuple(*), dict())
    out_spec *
    ${body}
    return %y
  }`);
  await using model = await load({ program, weights: new Map() }, { backend });
  backend.manualSeed(42);
  const [y] = (await model.runFlat([tensor(rows)])) as readonly { read(): Promise<Float32Array> }[];
  return [...(await y!.read())];
}

describe("numbers are drawn in the order of PyTorch's memory", () => {
  const [rows, columns] = [3, 5];
  const x = Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => 1 + i * columns + j));

  it.each([
    ["aten::dropout(input=%X, p=0.5, train=true)"],
    ["aten::alpha_dropout(input=%X, p=0.5, train=true)"],
    ["aten::rand_like(%X)"],
    ["aten::randint_like(%X, high=1000)"],
    ["aten::uniform_(%X)"],
    ["aten::bernoulli_.float(%X, p=0.3)"],
    ["aten::exponential_(%X)"],
    ["aten::random_(%X)"],
    ["aten::random_.to(%X, to=100)"],
  ])("of a transposed tensor by %s", async (call) => {
    const plain = await drawn(`%c: f32[3, 5] = aten::clone(%x)\n%y: f32[3, 5] = ${call.replace("%X", "%c")}`, x);
    const transposed = await drawn(
      `%c: f32[3, 5] = aten::clone(%x)
       %t: f32[5, 3]{strides=[1, 5]} = aten::t(%c)
       %d: f32[5, 3]{strides=[1, 5]} = ${call.replace("%X", "%t")}
       %y: f32[3, 5] = aten::t(%d)`,
      x,
    );
    expect(transposed).toEqual(plain);
    expect(new Set(plain).size).toBeGreaterThan(1);
  });
});
