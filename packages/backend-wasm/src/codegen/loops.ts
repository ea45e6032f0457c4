import type { Emitter } from "./emit.ts";
import { control, signed, unsigned } from "./encoder.ts";
import type { InnerMode } from "./geometry.ts";

/** The locals of a kernel's loops. Lists have an entry for each operand. */
export interface Loops {
  /** The pointer to the start of the row. */
  readonly base: readonly number[];
  /** The pointer to the step's first element. */
  readonly work: readonly number[];
  /** The bytes between elements of the innermost dimension; set for strided operands. */
  readonly stride: readonly number[];
  /** The elements left in the row. */
  readonly left: number;
  readonly itemsize: readonly number[];
  readonly inner: readonly InnerMode[];
}

/** The parameter that has the block's address. */
export const BLOCK = 0;
const [START, COUNT] = [1, 2];

/**
 * Emits loops over the rows of the block's geometry (see `writeBlock`) that the range touches. `row` emits the code for
 * one row: `left` elements from `work` on. The block is only read: outer indices follow from the row's number by
 * division.
 */
export function emitLoops(e: Emitter, loops: Loops, header: number, row: () => void): void {
  const [inner, column, index, rest, at, dims, extent] = Array.from({ length: 7 }, () => e.newLocal("i32")) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const operands = loops.base.length;
  const read = (word: number, from = BLOCK): void => {
    e.get(from);
    e.op("i32.load", 2, ...unsigned(4 * word));
  };
  const constant = (value: number): void => e.op("i32.const", ...signed(value));
  const update = (local: number, op: "i32.add" | "i32.sub" | "i32.div_u", amount: () => void): void => {
    e.get(local);
    amount();
    e.op(op);
    e.set(local);
  };
  const toFirstDimension = (): void => {
    e.get(BLOCK);
    constant(4 * header);
    e.op("i32.add");
    e.set(at);
    read(1);
    e.set(dims);
    e.get(index);
    e.set(rest);
  };
  const toNextDimension = (): void => {
    update(rest, "i32.div_u", () => e.get(extent));
    update(at, "i32.add", () => constant(4 * (1 + operands)));
    update(dims, "i32.sub", () => constant(1));
  };
  /** Moves every row pointer along the current dimension. */
  const move = (op: "i32.add" | "i32.sub", times: () => void, once: boolean): void => {
    loops.base.forEach((local, k) => {
      update(local, op, () => {
        read(1 + k, at);
        if (once) return;
        times();
        e.op("i32.mul");
      });
    });
  };

  read(0);
  e.set(inner);
  e.get(COUNT);
  e.op("i32.eqz");
  e.raw(control.if);
  e.raw(control.return);
  e.raw(control.end);
  loops.base.forEach((local, k) => {
    read(2 + k);
    e.set(local);
    read(2 + operands + k);
    e.set(loops.stride[k] as number);
  });
  for (const [op, local] of [
    ["i32.div_u", index],
    ["i32.rem_u", column],
  ] as const) {
    e.get(START);
    e.get(inner);
    e.op(op);
    e.set(local);
  }
  toFirstDimension();
  e.raw(control.block);
  e.raw(control.loop);
  e.get(dims);
  e.op("i32.eqz");
  e.raw(control.brIf(1));
  read(0, at);
  e.set(extent);
  move(
    "i32.add",
    () => {
      e.get(rest);
      e.get(extent);
      e.op("i32.rem_u");
    },
    false,
  );
  toNextDimension();
  e.raw(control.br(0));
  e.raw(control.end);
  e.raw(control.end);

  e.raw(control.loop);
  // left = min(inner - column, count)
  e.get(inner);
  e.get(column);
  e.op("i32.sub");
  e.set(loops.left);
  e.get(loops.left);
  e.get(COUNT);
  e.op("i32.gt_u");
  e.raw(control.if);
  e.get(COUNT);
  e.set(loops.left);
  e.raw(control.end);
  update(COUNT as number, "i32.sub", () => e.get(loops.left));
  loops.work.forEach((local, k) => {
    e.get(loops.base[k] as number);
    e.get(column);
    e.get(loops.stride[k] as number);
    e.op("i32.mul");
    e.op("i32.add");
    e.set(local);
  });
  constant(0);
  e.set(column);
  row();
  e.get(COUNT);
  e.op("i32.eqz");
  e.raw(control.if);
  e.raw(control.return);
  e.raw(control.end);

  update(index, "i32.add", () => constant(1));
  toFirstDimension();
  e.raw(control.block);
  e.raw(control.loop);
  move("i32.add", () => undefined, true);
  // A dimension that has reached its end starts over, and the next one moves.
  read(0, at);
  e.set(extent);
  e.get(rest);
  e.get(extent);
  e.op("i32.rem_u");
  e.raw(control.brIf(1));
  e.get(dims);
  constant(2);
  e.op("i32.lt_u");
  e.raw(control.brIf(1));
  move("i32.sub", () => e.get(extent), false);
  toNextDimension();
  e.raw(control.br(0));
  e.raw(control.end);
  e.raw(control.end);
  e.raw(control.br(0));
  e.raw(control.end);
}
