import { expect, test } from "vitest";
import { newBoard, WORD } from "./board.ts";
import { Seat } from "./seat.ts";

const CALLER = 77;

/** A helper on a processor, while the caller is on the first one. */
const on = (board: ReturnType<typeof newBoard>, processor: number): Seat =>
  new Seat(board, (thread) => (thread === CALLER ? 0 : processor));

test("those that come first have the seats until helpers are called again", () => {
  const board = newBoard(3, CALLER);
  const seats = [1, 2, 3].map((processor) => on(board, processor));
  expect(seats.map((seat) => seat.take())).toEqual([true, true, false]);
  expect(seats.map(({ isTaken }) => isTaken)).toEqual([true, true, false]);
  expect(seats.slice(0, 2).map(({ index }) => index)).toEqual([0, 1]);
  board.words[WORD.seats] = 1 << 8;
  expect(seats.some(({ isTaken }) => isTaken)).toBe(false);
  expect(seats[2]!.take()).toBe(true);
  expect(seats[2]!.index).toBe(0);
});

test("a helper on its caller's processor lets others go first, and has the seat when none comes", () => {
  const board = newBoard(2, CALLER);
  const [near, far] = [on(board, 0), on(board, 1)];
  const waiting = new Seat(board, (thread) => {
    // Another one comes meanwhile.
    if (thread === undefined && !far.isTaken) far.take();
    return 0;
  });
  expect(waiting.take()).toBe(false);
  expect(far.isTaken).toBe(true);
  board.words[WORD.seats] = 1 << 8;
  expect(near.take()).toBe(true);
});

test("a helper that cannot tell processors does not wait", () => {
  let asked = 0;
  const unknown = new Seat(newBoard(2, CALLER), () => {
    asked++;
    return Number.NaN;
  });
  expect(unknown.take()).toBe(true);
  expect(asked).toBe(2);
  expect(new Seat(newBoard(2), () => 0).take()).toBe(true);
  expect(new Seat(newBoard(2, CALLER), null).take()).toBe(true);
});
