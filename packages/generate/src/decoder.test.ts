import { type Model, tensor, zeros } from "@pt2/runtime";
import { expect, it } from "vitest";
import { keepingDecoder, type Part, passingDecoder } from "./decoder.ts";

/** A model that notes the tokens and the places of its calls, and fails when asked to. */
function noted(queries: number | null): { part: Part; calls: unknown[]; fail: { next: boolean } } {
  const calls: unknown[] = [];
  const fail = { next: false };
  const model = {
    async runFlat([tokens, places]: readonly { readonly data: BigInt64Array }[]) {
      if (fail.next) throw new Error("failed");
      calls.push([Array.from(tokens!.data, Number), Array.from(places!.data, Number)]);
      return [zeros([1, 9]), tensor([calls.length])];
    },
    async dispose() {},
  };
  const roles: Part["roles"] = [
    { kind: "tokens", dtype: "int64" },
    { kind: "positions", name: "cache_position", dtype: "int64", rank: 1 },
  ];
  return {
    part: { model: model as unknown as Model, roles, returned: ["cache.keys"], queries, least: 1 },
    calls,
    fail,
  };
}

it("a text that begins as the one before is read from where they differ", async () => {
  const { part, calls } = noted(null);
  const decoder = keepingDecoder(part, null);
  for (const tokens of [
    [1, 2, 3, 4],
    [1, 2, 3, 4],
    [1, 2, 3, 4, 5],
    [1, 7],
    [1, 7, 8],
  ]) {
    const text = decoder.begin();
    await text.read(tokens, undefined);
    text.end();
  }
  expect(calls).toEqual([
    [
      [1, 2, 3, 4],
      [0, 1, 2, 3],
    ],
    [[4], [3]],
    [[5], [4]],
    [[7], [1]],
    [[8], [2]],
  ]);
});

it("a text that is longer than a static cache is refused", async () => {
  const length = tensor("int64", [], [3]);
  const model = {
    async runFlat() {
      return [zeros([1, 9]), zeros([1, 2, 3, 4]), length];
    },
    async dispose() {},
  };
  const part: Part = {
    model: model as unknown as Model,
    roles: [{ kind: "tokens", dtype: "int64" }],
    returned: ["cache.keys", "cache.cumulative_length"],
    queries: null,
    least: 1,
  };
  const text = passingDecoder(part, part, null).begin();
  await text.read([1, 2, 3], undefined);
  await expect(text.read([4], undefined)).rejects.toMatchObject({ code: "generate.length", details: { capacity: 3 } });
  text.end();
});

it("what a failed call would have overwritten is not known any more", async () => {
  const { part, calls, fail } = noted(null);
  const decoder = keepingDecoder(part, null);
  const read = async (tokens: readonly number[]): Promise<void> => {
    const text = decoder.begin();
    try {
      await text.read(tokens, undefined);
    } finally {
      text.end();
    }
  };
  await read([1, 2, 3, 4]);
  fail.next = true;
  await expect(read([1, 2, 9])).rejects.toThrow("failed");
  fail.next = false;
  await read([1, 2, 3, 4]);
  expect(calls.at(-1)).toEqual([
    [3, 4],
    [2, 3],
  ]);
});

it("a program that takes one token at a time is given the prompt token by token", async () => {
  const { part, calls } = noted(1);
  const text = keepingDecoder(part, null).begin();
  await text.read([5, 6], undefined);
  await text.read([7], undefined);
  expect(calls).toEqual([
    [[5], [0]],
    [[6], [1]],
    [[7], [2]],
  ]);
});

it("a model that keeps one text refuses a second one until the first has ended", () => {
  const decoder = keepingDecoder(noted(null).part, null);
  const text = decoder.begin();
  expect(() => decoder.begin()).toThrow(expect.objectContaining({ code: "generate.busy" }));
  text.end();
  expect(() => decoder.begin()).not.toThrow();
});

it("texts whose caches are passed on do not disturb each other", async () => {
  const [first, next] = [noted(null), noted(1)];
  const decoder = passingDecoder(first.part, next.part, null);
  const [one, other] = [decoder.begin(), decoder.begin()];
  await one.read([1, 2], undefined);
  await other.read([3], undefined);
  await one.read([4], undefined);
  await other.read([5], undefined);
  expect(first.calls).toEqual([
    [
      [1, 2],
      [0, 1],
    ],
    [[3], [0]],
  ]);
  expect(next.calls).toEqual([
    [[4], [2]],
    [[5], [1]],
  ]);
});

it("a text that is too short for further calls begins again", async () => {
  const [first, next] = [noted(null), noted(1)];
  const text = passingDecoder(first.part, { ...next.part, least: 4 }, null).begin();
  for (const token of [5, 6, 7, 8, 9]) await text.read([token], undefined);
  expect(first.calls).toEqual([
    [[5], [0]],
    [
      [5, 6],
      [0, 1],
    ],
    [
      [5, 6, 7],
      [0, 1, 2],
    ],
  ]);
  expect(next.calls).toEqual([
    [[8], [3]],
    [[9], [4]],
  ]);
});
