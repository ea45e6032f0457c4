import { expect, test } from "vitest";
import { ConstantTable, type Derived, InputUses } from "./constants.ts";

class Value implements Derived<Value> {
  readonly inputs: readonly Value[];
  pins = 0;
  uses = 0;
  resident = true;

  constructor(...inputs: readonly Value[]) {
    this.inputs = inputs;
  }

  unload(): void {
    this.resident = false;
  }
}

test("an input stays until the last value that is computed from it, and longer if a plan reads it", () => {
  const [raw, read] = [new Value(), new Value()];
  read.pins = 1;
  const [first, second] = [new Value(raw, read), new Value(raw)];
  const uses = new InputUses([first, second]);
  expect(uses.all).toEqual([raw, read, first, second]);
  expect([uses.of(raw), uses.of(read), uses.of(first)]).toEqual([2, 1, 0]);
  uses.done(first);
  expect([raw.resident, read.resident]).toEqual([true, true]);
  uses.done(second);
  expect([raw.resident, read.resident]).toEqual([false, true]);
});

test("a constant that was only needed on the way is released with the one that needed it", () => {
  const raw = new Value();
  const half = new Value(raw);
  const whole = new Value(half);
  const uses = new InputUses([whole]);
  uses.done(whole);
  expect([raw.resident, half.resident, whole.resident]).toEqual([false, false, true]);
});

test("values that share all inputs are each visited once", () => {
  const values = [new Value()];
  for (let i = 1; i < 100; i++) values.push(new Value(values[i - 1]!, values[i - 1]!));
  expect(new InputUses([values.at(-1)!]).all.length).toBe(100);
});

test("a table forgets what no plan needs, and keeps what a constant in use was computed from", () => {
  const table = new ConstantTable<Value>();
  const half = new Value(new Value());
  const [whole, other] = [new Value(half), new Value(half)];
  for (const [key, value] of Object.entries({ half, whole, other })) table.set(key, value);
  whole.pins = 2;
  other.pins = 1;
  table.release([whole, other]);
  expect([whole.resident, other.resident]).toEqual([true, false]);
  expect([table.get("half"), table.get("whole"), table.get("other")]).toEqual([half, whole, undefined]);
  table.release([whole]);
  expect(table.size).toBe(0);
});
