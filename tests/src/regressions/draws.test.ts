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

describe("samples without replacement are chosen by times that are drawn in the order of PyTorch's memory", () => {
  const x = Array.from({ length: 3 }, (_, i) => Array.from({ length: 5 }, (_, j) => 1 + i * 5 + j));
  const OF = "%t: f32[5, 3]{strides=[1, 5]} = aten::t(%x)\n%y: i64";

  // torch.manual_seed(42), x = torch.arange(1.0, 16).view(3, 5): torch.multinomial(x.t(), …).
  it.each([
    ["[5, 2] = aten::multinomial(%t, num_samples=2)", [2, 0, 0, 2, 0, 2, 1, 0, 1, 2]],
    ["[5, 1] = aten::multinomial(%t, num_samples=1)", [2, 0, 0, 1, 1]],
    ["[5, 1] = aten::multinomial(%t, num_samples=1, replacement=true)", [2, 0, 0, 1, 1]],
    ["[5, 3] = aten::multinomial(%t, num_samples=3, replacement=true)", [1, 1, 1, 0, 2, 2, 2, 2, 0, 0, 1, 1, 2, 2, 1]],
  ])("%s", async (call, expected) => {
    expect((await drawn(OF + call, x)).map(Number)).toEqual(expected);
  });

  it("and refused as any others", async () => {
    const refused = drawn(`${OF}[5, 2] = aten::multinomial(%t, num_samples=2)`, [[-1, 1, 1, 1, 1], ...x.slice(1)]);
    await expect(refused).rejects.toThrow("probability tensor contains either `inf`, `nan` or element < 0");
  });
});

describe("normal numbers are drawn one by one where PyTorch's tensor is not contiguous", () => {
  // The first of torch.manual_seed(42), for x = torch.empty(4, 5): torch.randn_like(x), torch.randn_like(x.t()).t() and
  // x[:, 1:].normal_(), x.t().normal_(1, 2).
  const CONTIGUOUS = ["1.9269", "1.4873", "0.9007", "-2.1055"];
  const STRIDED = ["0.3367", "0.1288", "0.2345", "0.2303"];
  const SHIFTED = ["1.6734", "1.2576", "1.4689", "1.4607"];
  const X = Array.from({ length: 4 }, () => [0.1, 0.2, 0.3, 0.4, 0.5]);

  it("and not where it is", async () => {
    const rounded = async (body: string): Promise<readonly string[]> =>
      (await drawn(body, X)).slice(0, 4).map((value) => value.toFixed(4));
    expect(await rounded("%y: f32[4, 5] = aten::randn_like(%x)")).toEqual(CONTIGUOUS);
    const like = "%n: f32[5, 4]{strides=[1, 5]} = aten::randn_like(%t)\n%y: f32[4, 5] = aten::t(%n)";
    expect(await rounded(`%t: f32[5, 4]{strides=[1, 5]} = aten::t(%x)\n${like}`)).toEqual(STRIDED);
    const filled = "%n: f32[5, 4]{strides=[1, 5]} = aten::normal_(%t, mean=1.0, std=2.0)";
    expect(
      await rounded(`%y: f32[4, 5] = aten::clone(%x)\n%t: f32[5, 4]{strides=[1, 5]} = aten::t(%y)\n${filled}`),
    ).toEqual(SHIFTED);
    const columns = "%s: f32[4, 4]{strides=[5, 1], offset=1} = aten::slice.Tensor(%c, dim=1, start=1, end=5)";
    const part = "%n: f32[4, 4]{strides=[5, 1], offset=1} = aten::normal_(%s)\n%y: f32[4, 4] = aten::clone(%n)";
    expect(await rounded(`%c: f32[4, 5] = aten::clone(%x)\n${columns}\n${part}`)).toEqual(STRIDED);
  });
});

it("dropout_ that is all that a program does in place writes to its tensor", async () => {
  const rows = [[1, 1, 1, 1, 1]];
  const returned = "%c: f32[1, 5] = aten::clone(%x)\n%y: f32[1, 5] = aten::dropout_(%c, p=0.5, train=true)";
  const written = "%y: f32[1, 5] = aten::clone(%x)\n%d: f32[1, 5] = aten::dropout_(%y, p=0.5, train=true)";
  const values = await drawn(written, rows);
  expect(new Set(values)).toEqual(new Set([0, 2]));
  expect(values).toEqual(await drawn(returned, rows));
});
