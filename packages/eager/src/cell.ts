import { HostTensor, type Tensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { OpRecord } from "@pt2/registry";

/** A value that eager calls share: computed, being computed, or recorded as a call that has not run. */
export class Cell {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The tensor of the backend, once a program that computes it was started. */
  #tensor: Promise<Tensor> | null;
  /** The call that computes it, as long as none was started. */
  #call: RecordedCall | null;
  /** The number of tensors of users and recorded calls that use it. */
  #uses = 1;
  #isBorrowed = false;

  constructor(dtype: DType, shape: readonly number[], tensor: Promise<Tensor> | null, call: RecordedCall | null) {
    this.dtype = dtype;
    this.shape = shape;
    this.#tensor = tensor;
    this.#call = call;
  }

  /** A cell of a tensor that a backend made for it alone. */
  static of(tensor: Tensor): Cell {
    return new Cell(tensor.dtype, tensor.shape, Promise.resolve(tensor), null);
  }

  /**
   * A cell of a tensor that its owner may dispose while the cell is used. Elements in host memory are copied: the owner
   * may write to them before a recorded call runs.
   */
  static sharing(tensor: Tensor): Cell {
    const { bytes, dtype, shape } = tensor;
    if (bytes !== null) return Cell.of(new HostTensor(dtype, shape, bytes.slice()));
    const shared = tensor.share?.();
    const cell = Cell.of(shared ?? tensor);
    cell.#isBorrowed = shared === undefined;
    return cell;
  }

  /** Null while no program that computes it was started. */
  get tensor(): Promise<Tensor> | null {
    return this.#tensor;
  }

  /** The call to run; null if it was started. */
  get call(): RecordedCall | null {
    return this.#call;
  }

  /** Whether nothing uses it any more. */
  get isFree(): boolean {
    return this.#uses === 0;
  }

  retain(): this {
    this.#uses++;
    return this;
  }

  /** Ends one use. After the last one the tensor is disposed, or the recorded call is forgotten. */
  release(): void {
    this.#uses--;
    if (this.#uses > 0) return;
    this.#leaveCall();
    if (!this.#isBorrowed) this.#tensor?.then((tensor) => tensor.dispose()).catch(() => {});
  }

  /** Gives the cell the result of a program that was started. */
  start(tensor: Promise<Tensor>): void {
    // A failure is reported by reads of the tensor.
    tensor.catch(() => {});
    this.#tensor = tensor;
    this.#leaveCall();
    if (this.isFree) tensor.then((made) => made.dispose()).catch(() => {});
  }

  #leaveCall(): void {
    const call = this.#call;
    this.#call = null;
    call?.resultLeft();
  }
}

/** An argument of a recorded call: a cell, a list, or data. */
export type CellArgument = Cell | readonly CellArgument[] | { readonly data: unknown };

/** A result of a call: a tensor, a list of them, a number, or nothing. */
export type CallResult = Cell | readonly Cell[] | NumberResult | null;

/** A number that only a run knows. */
export interface NumberResult {
  readonly kind: "symint" | "symfloat" | "symbool";
}

/** A call that has not run. It uses its arguments until each of its results was started or is used no more. */
export class RecordedCall {
  readonly record: OpRecord;
  /** The arguments that were given, by their names in the schema. */
  readonly args: Readonly<Record<string, CellArgument>>;
  readonly inputs: ReadonlySet<Cell>;
  /** The number of recorded calls that it needs, itself included, where those that are needed twice count twice. */
  readonly size: number;
  /** The number of programs that computed it, although its results were not theirs. */
  timesInside = 0;
  /** Whether the shapes of its results are not known before it has run. */
  readonly isDynamic: boolean;
  #results: readonly CallResult[] = [];
  #open = 0;

  constructor(record: OpRecord, args: Readonly<Record<string, CellArgument>>, isDynamic: boolean) {
    this.record = record;
    this.args = args;
    this.isDynamic = isDynamic;
    this.inputs = new Set(Object.values(args).flatMap(cellsIn));
    let size = 1;
    for (const input of this.inputs) size += input.retain().call?.size ?? 0;
    this.size = size;
  }

  /** The results, one entry for each return. */
  get results(): readonly CallResult[] {
    return this.#results;
  }

  /** The results as one list. */
  get cells(): readonly Cell[] {
    return this.#results.flat().filter((result) => result instanceof Cell);
  }

  setResults(results: readonly CallResult[]): void {
    this.#results = results;
    this.#open = this.cells.length;
  }

  resultLeft(): void {
    this.#open--;
    if (this.#open === 0) this.#releaseInputs();
  }

  /** Ends the uses of a call whose results are not cells of tensors. */
  forget(): void {
    this.#releaseInputs();
  }

  #releaseInputs(): void {
    for (const input of this.inputs) input.release();
  }
}

function cellsIn(argument: CellArgument): readonly Cell[] {
  if (argument instanceof Cell) return [argument];
  return Array.isArray(argument) ? argument.flatMap(cellsIn) : [];
}
