import { Tensor } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { Cell } from "./cell.ts";
import { eagerError } from "./eager-errors.ts";

/** Starts a program that computes a cell. */
type Start = (cell: Cell) => void;

/** Returns what a tensor shares with the calls that take it. Throws `eager.disposed` for a tensor that was disposed. */
export let cellOf: (tensor: EagerTensor) => Cell;

/**
 * The result of an eager call. Its shape and dtype are known at once; its elements are computed when they are read, or
 * when a call needs them. They stay where the backend computes until `read()` or `cpu()` copies them.
 */
export class EagerTensor<D extends DType = DType> extends Tensor<D> {
  #cell: Cell | null;
  readonly #start: Start;
  #bytes: Uint8Array | null = null;

  constructor(cell: Cell, device: string, start: Start) {
    super(cell.dtype as D, cell.shape, device);
    this.#cell = cell;
    this.#start = start;
  }

  /** The memory if it is in host memory and was read once, else null. */
  override get bytes(): Uint8Array | null {
    return this.#bytes;
  }

  async readBytes(): Promise<Uint8Array> {
    const cell = this.#alive().retain();
    try {
      const made = await this.#made(cell);
      const bytes = await made.readBytes();
      if (made.bytes !== null && this.#cell !== null) this.#bytes = bytes;
      return bytes;
    } finally {
      cell.release();
    }
  }

  /** Computes the elements if they are not, and returns the tensor that the backend made; it is disposed with this one. */
  override async computed(): Promise<Tensor<D>> {
    return (await this.#made(this.#alive())) as Tensor<D>;
  }

  dispose(): void {
    this.#cell?.release();
    this.#cell = null;
    this.#bytes = null;
  }

  static {
    cellOf = (tensor) => tensor.#alive();
  }

  #alive(): Cell {
    if (this.#cell !== null) return this.#cell;
    throw eagerError("eager.disposed", {
      what: `A tensor ${this.dtype} [${this.shape.join(", ")}] was used after it had been disposed`,
      advice: "dispose it after its last use",
    });
  }

  async #made(cell: Cell): Promise<Tensor> {
    if (cell.tensor === null) this.#start(cell);
    return await cell.tensor!;
  }
}
