import { type HostTensor, hostTensor } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { type RandomBelow, randomBelow, randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { WasmBackend } from "../backend.ts";
import { divided } from "../threads/divided.test-helper.ts";

const registry = registryOf();

function random(seed: number, shape: readonly number[]): HostTensor {
  const length = shape.reduce((product, size) => product * size, 1);
  return hostTensor("float32", shape, randomFloats(randomUnit(seed), length));
}

/** The text of a type. */
const f32 = (shape: readonly number[]): string => `f32[${shape.join(", ")}]`;

/** A program with its weights and its input. */
interface Case {
  readonly body: string;
  readonly weights: Readonly<Record<string, HostTensor>>;
  readonly input: HostTensor;
}

/** Runs a program twice, and returns the results of the second run with the ops of each step. */
async function compute({ body, weights, input }: Case, threads = 1) {
  await using backend = new WasmBackend(threads > 1 ? divided(threads) : undefined);
  const executable = await backend.compile({ program: programOf(body), weights: weightsOf(weights), registry });
  await executable.run([input]);
  const results = (await executable.run([input])) as readonly HostTensor[];
  const { steps } = await executable.profile([input]);
  return { results, ops: steps.flatMap(({ ops }) => ops) };
}

/**
 * Expects each result to be, to the last bit, what it is where tensors have memory of their own, as in programs whose sizes may
 * change. Returns the ops of the steps, and those of such a program.
 */
async function expectSame(
  given: Case,
  threads = 1,
): Promise<readonly [ops: readonly string[], others: readonly string[]]> {
  const { results, ops } = await compute(given, threads);
  const body = given.body.replace(/(user_input %x: f32\[)\d+/, "$1s0");
  const apart = await compute({ ...given, body });
  for (const [i, { bytes }] of results.entries()) {
    expect(Buffer.from(bytes).equals(Buffer.from(apart.results[i]!.bytes)), `result ${i} of\n${body}`).toBe(true);
  }
  return [ops, apart.ops];
}

test("channels that are joined are computed where they belong, also of a whole that is joined itself", async () => {
  // A larger output would be put in order, in a step that is called as what made it.
  const given: Case = {
    input: random(1, [2, 5, 3, 5]),
    weights: { a: random(2, [3, 5, 1, 1]), b: random(3, [11, 5, 3, 3]), c: random(4, [14, 1, 3, 3]) },
    body: `
      parameter "a" = %a: f32[3, 5, 1, 1]
      parameter "b" = %b: f32[11, 5, 3, 3]
      parameter "c" = %c: f32[14, 1, 3, 3]
      user_input %x: f32[2, 5, 3, 5]
      %p: f32[2, 3, 3, 5] = aten::conv2d(input=%x, weight=%a)
      %q: f32[2, 11, 3, 5] = aten::conv2d(input=%x, weight=%b, bias=none, stride=[1, 1], padding=[1, 1])
      %r: f32[2, 11, 3, 5] = aten::relu(%q)
      %m: f32[2, 14, 3, 5] = aten::cat(tensors=[%p, %r], dim=-3)
      %d: f32[2, 14, 3, 5] = aten::conv2d(input=%m, weight=%c, bias=none, stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=14)
      %s: f32[2, 14, 3, 5] = aten::neg(%d)
      %y: f32[2, 28, 3, 5] = aten::cat(tensors=[%m, %s], dim=1)
      return %y`,
  };
  const [ops, others] = await expectSame(given);
  expect(ops.filter((op) => op === "aten::cat")).toHaveLength(0);
  expect(others.filter((op) => op === "aten::cat")).toHaveLength(2);
});

test("a part that another op reads as it is, that comes twice or that is of another dtype is copied", async () => {
  const given: Case = {
    input: random(1, [1, 4, 6, 5]),
    weights: { a: random(2, [7, 4, 1, 1]) },
    body: `
      parameter "a" = %a: f32[7, 4, 1, 1]
      user_input %x: f32[1, 4, 6, 5]
      %p: f32[1, 7, 6, 5] = aten::conv2d(input=%x, weight=%a)
      %o: f32[1, 7, 6, 5] = aten::max_pool2d(self=%p, kernel_size=[3, 3], stride=[1, 1], padding=[1, 1])
      %q: f32[1, 7, 6, 5] = aten::conv2d(input=%x, weight=%a)
      %r: f32[1, 7, 6, 5] = aten::neg(%q)
      %h: f16[1, 7, 6, 5] = aten::to.dtype(self=%r, dtype=torch.float16)
      %y: f32[1, 43, 6, 5] = aten::cat(tensors=[%p, %r, %o, %r, %h, %x, %x], dim=1)
      return %y, %r`,
  };
  const [ops] = await expectSame(given);
  expect(ops).toContain("aten::cat");
});

test("rows that are joined along the height lie apart in each of several pictures, and are copied there", async () => {
  for (const batch of [1, 3]) {
    const shape = (height: number): string => f32([batch, 6, height, 5]);
    const [ops] = await expectSame({
      input: random(1, [batch, 4, 7, 5]),
      weights: { a: random(2, [6, 4, 1, 1]), b: random(3, [6, 4, 3, 1]) },
      body: `
        parameter "a" = %a: f32[6, 4, 1, 1]
        parameter "b" = %b: f32[6, 4, 3, 1]
        user_input %x: ${f32([batch, 4, 7, 5])}
        %p: ${shape(7)} = aten::conv2d(input=%x, weight=%a)
        %q: ${shape(5)} = aten::conv2d(input=%x, weight=%b)
        %y: ${shape(12)} = aten::cat(tensors=[%p, %q], dim=2)
        return %y`,
    });
    expect(ops.includes("aten::cat")).toBe(batch > 1);
  }
});

/** A program of convolutions, loops and joins of random operands, all over maps of one size, which returns several of them. */
function randomCase(seed: number): Case {
  const below = randomBelow(seed);
  const space = [1 + below(9), 1 + below(9)];
  const batch = 1 + below(2);
  const weights: Record<string, HostTensor> = {};
  const values: { readonly name: string; readonly channels: number }[] = [{ name: "x", channels: 1 + below(9) }];
  const input = random(seed, [batch, values[0]!.channels, ...space]);
  const lines: string[] = [];
  const typeOf = (channels: number): string => f32([batch, channels, ...space]);
  const some = (): (typeof values)[number] => values[Math.max(0, values.length - 1 - below(4))]!;
  const add = (channels: number, call: string): void => {
    const name = `v${values.length}`;
    lines.push(`%${name}: ${typeOf(channels)} = aten::${call}`);
    values.push({ name, channels });
  };
  for (let i = 0; i < 14; i++) {
    const { name, channels } = some();
    const kind = below(8);
    if (kind < 3) addConvolution(below, { name, channels }, weights, add);
    else if (kind < 4) add(channels, `${["relu", "neg"][below(2)]}(%${name})`);
    else if (kind < 5) {
      const other = values.findLast((value) => value.channels === channels)!;
      add(channels, `add.Tensor(self=%${name}, other=%${other.name})`);
    } else if (kind < 6 && below(2) === 0) {
      add(channels, `max_pool2d(self=%${name}, kernel_size=[3, 3], stride=[1, 1], padding=[1, 1])`);
    } else {
      const before = lines.findLast((line) => line.includes("cat("))?.match(/tensors=\[(.*?)\]/)?.[1];
      const names = below(2) === 0 && before !== undefined ? before.split(", ").map((one) => one.slice(1)) : [];
      const operands = names.map((one) => values.find((value) => value.name === one)!);
      operands.push({ name, channels });
      while (below(3) > 0) operands.push(some());
      const total = operands.reduce((sum, one) => sum + one.channels, 0);
      if (total < 200) add(total, `cat(tensors=[${operands.map((one) => `%${one.name}`).join(", ")}], dim=1)`);
    }
  }
  const returned = [...new Set([values.at(-1)!, ...values.slice(1).filter(() => below(4) === 0)])];
  const parameters = Object.entries(weights).map(
    ([name, { shape }]) => `parameter "${name}" = %${name}: ${f32(shape)}`,
  );
  const results = returned.map(({ name }) => `%${name}`).join(", ");
  const body = [...parameters, `user_input %x: ${typeOf(values[0]!.channels)}`, ...lines, `return ${results}`];
  return { body: body.join("\n  "), weights, input };
}

function addConvolution(
  below: RandomBelow,
  { name, channels }: { readonly name: string; readonly channels: number },
  weights: Record<string, HostTensor>,
  add: (channels: number, call: string) => void,
): void {
  const [size, out] = [1 + 2 * below(3), 1 + below(19)];
  const weight = `w${Object.keys(weights).length}`;
  const shape = [
    [out, channels, size, size],
    [channels, 1, size, size],
    [4 * channels, 1, size, size],
  ][below(3)]!;
  weights[weight] = random(below(1000), shape);
  const groups = channels / shape[1]!;
  const padding = `[${(size - 1) / 2}, ${(size - 1) / 2}]`;
  add(
    shape[0]!,
    `conv2d(input=%${name}, weight=%${weight}, bias=none, stride=[1, 1], padding=${padding}, dilation=[1, 1], groups=${groups})`,
  );
}

test("what random programs join is, with any number of threads, what they join where each tensor has memory of its own", async () => {
  let avoided = 0;
  for (let seed = 0; seed < 150; seed++) {
    const given = randomCase(seed);
    const [ops, others] = await expectSame(given, [1, 2, 5][seed % 3]);
    avoided += others.filter((op) => op === "aten::cat").length - ops.filter((op) => op === "aten::cat").length;
  }
  expect(avoided).toBeGreaterThan(30);
});
