import { expect, it } from "vitest";
import { excludedTokens } from "./excluded-tokens.ts";
import { completeSettings } from "./settings.ts";

it("end tokens are excluded before the least length, and suppressed ones always", () => {
  const settings = completeSettings({ minNewTokens: 2, eosTokenId: [2, 3], suppressTokens: [7] }, {});
  expect(excludedTokens([1], 1, settings)).toEqual([7, 2, 3]);
  expect(excludedTokens([1], 2, settings)).toEqual([7]);
});

it("some tokens are excluded as the first new one alone", () => {
  const settings = completeSettings({ beginSuppressTokens: [5] }, {});
  expect([excludedTokens([1], 0, settings), excludedTokens([1, 4], 1, settings)]).toEqual([[5], []]);
});

it("tokens that would repeat a sequence are excluded", () => {
  const settings = (noRepeatNgramSize: number) => completeSettings({ noRepeatNgramSize }, {});
  expect(excludedTokens([4, 5, 6, 4, 5, 9, 4, 5], 8, settings(3))).toEqual([6, 9]);
  expect(excludedTokens([4, 5, 4], 3, settings(1))).toEqual([4, 5]);
  expect(excludedTokens([4, 5], 2, settings(3))).toEqual([]);
});
