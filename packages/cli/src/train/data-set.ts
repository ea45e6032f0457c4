import { HostTensor } from "@pt2/backend";
import { DTYPES, numel, type Tensors } from "@pt2/format";
import type { LeafInfo } from "@pt2/runtime";
import { cliError } from "../cli-errors.ts";

/** The examples of a file: one tensor for each input, whose first dimension counts them. */
export class DataSet {
  readonly count: number;
  readonly #columns: readonly HostTensor[];

  /** Takes the tensors for `inputs` by name, or by position (`0`, `1`, …). */
  constructor(tensors: Tensors, inputs: readonly LeafInfo[], where: string) {
    this.#columns = inputs.map(({ name }, i) => {
      const found = tensors.get(name) ?? tensors.get(String(i));
      if (found === undefined || found.shape.length === 0) {
        throw cliError("cli.inputs", {
          what: `${where} has no examples for the input \`${name}\``,
          where,
          advice: `it has ${[...tensors.keys()].join(", ")}; name a tensor \`${name}\` or \`${i}\`, with one row for each example`,
        });
      }
      return new HostTensor(found.dtype, found.shape, found.bytes);
    });
    this.count = this.#columns[0]?.shape[0] ?? 0;
    const odd = this.#columns.findIndex(({ shape }) => shape[0] !== this.count);
    if (odd < 0) return;
    throw cliError("cli.inputs", {
      what: `\`${inputs[odd]!.name}\` has ${this.#columns[odd]!.shape[0]} examples, and \`${inputs[0]!.name}\` has ${this.count}`,
      where,
      advice: "every tensor has one row for each example",
    });
  }

  /** Returns the shape that each input has in a batch of `size`. */
  shapes(size: number): readonly (readonly number[])[] {
    return this.#columns.map(({ shape }) => [size, ...shape.slice(1)]);
  }

  /** Returns the batches of one pass, in an order that follows from `seed`; a rest that fills no batch is left out. */
  *batches(size: number, seed: bigint): Generator<readonly HostTensor[], void, void> {
    const order = shuffled(this.count, seed);
    for (let at = 0; at + size <= this.count; at += size) {
      const rows = order.slice(at, at + size);
      yield this.#columns.map(({ dtype, shape, bytes }) => {
        const rest = shape.slice(1);
        const length = numel(rest) * DTYPES[dtype].itemsize;
        const picked = new Uint8Array(size * length);
        for (const [i, row] of rows.entries()) picked.set(bytes.subarray(row * length, (row + 1) * length), i * length);
        return new HostTensor(dtype, [size, ...rest], picked);
      });
    }
  }
}

/** Returns 0 … count - 1 in a random order (Fisher and Yates, with mulberry32). */
function shuffled(count: number, seed: bigint): readonly number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  let state = Number(BigInt.asIntN(32, seed));
  for (let i = count - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    const k = Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * (i + 1));
    [order[i], order[k]] = [order[k]!, order[i]!];
  }
  return order;
}
