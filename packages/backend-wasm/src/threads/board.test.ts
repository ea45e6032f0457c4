import { expect, test } from "vitest";
import { newBoard, takePart, WORD } from "./board.ts";

/** A step of some parts, each of which calls a function with its own number; `take` says which part a thread gets. */
function stepOf(parts: number, threads: number) {
  const board = newBoard(threads);
  const { words, starts, free, calls } = board;
  const open = (): number => words[WORD.open]!;
  let taken = -1;
  const note = (part: number): void => {
    taken = part;
  };
  words[WORD.pending] = parts;
  words[WORD.open] = (7 << 8) | parts;
  free.fill(7, 0, parts);
  for (let part = 0; part <= parts; part++) starts[part] = part * 3;
  for (let part = 0; part < parts; part++) calls.set([0, 1, part], starts[part]);
  const take = (thread: number): number | null =>
    takePart(board, open(), thread, () => [note as (...args: readonly number[]) => void]) ? taken : null;
  return { board, take };
}

test("a thread begins with its own parts of a step, and then takes those of others", () => {
  const { board, take } = stepOf(4, 2);
  expect([take(1), take(0), take(1), take(1), take(0)]).toEqual([2, 0, 3, 1, null]);
  expect(board.words[WORD.pending]).toBe(0);
});

test("a thread without parts of its own takes those of others", () => {
  const { take } = stepOf(2, 5);
  expect([take(4), take(4), take(4)]).toEqual([1, 0, null]);
});

test("who has seen an earlier step takes no part of this one", () => {
  const { board } = stepOf(4, 2);
  const earlier = (6 << 8) | 1;
  expect(takePart(board, earlier, 1, () => [])).toBe(false);
  expect(board.words[WORD.pending]).toBe(4);
});
