import { numel } from "@pt2/backend";
import { programWeights } from "@pt2/engine";
import { rowMajor } from "@pt2/engine/strides";
import { DTYPES, readTensor, type WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import type { Constant } from "./constant.ts";
import { writePlace } from "./elements.ts";
import { OwnBuffer, type Place } from "./place.ts";
import type { WeightRecords } from "./weight-records.ts";

/** Weights and buffers of a program: constants that plans may fold, and state that runs write. */
export interface ProgramState {
  /** Place of every placeholder that is not a user input, by value name. */
  readonly bound: ReadonlyMap<string, Place>;
  /** Places of mutated buffers and parameters, by target name. */
  readonly mutable: ReadonlyMap<string, Place>;
  /** Reads the initial values of what runs may write. */
  initialise(): Promise<void>;
  /** Weight records that plans may read. */
  readonly records: readonly Constant[];
}

/** Binds placeholders to weights. Reads nothing by itself. `onRead` is told each record's bytes as they arrive, and how many there are. */
export function bindWeights(
  program: Program,
  weights: ReadonlyMap<string, WeightTensor>,
  records: WeightRecords,
  onRead: (bytes: number, total: number) => void,
): ProgramState {
  const { heap } = records;
  const read = new Set<Constant>();
  const bound = new Map<string, Place>();
  const mutable = new Map<string, Place>();
  const initial: { readonly place: Place; readonly weight: WeightTensor }[] = [];
  for (const { value, target, weight, written } of programWeights(program, weights)) {
    const { dtype, shape, strides, storageOffset: offset } = weight;
    if (written) {
      const bytes = numel(shape) * DTYPES[dtype].itemsize;
      const place: Place = {
        dtype,
        shape,
        strides: rowMajor(shape),
        offset: 0,
        buffer: new OwnBuffer(heap.alloc(bytes), bytes),
      };
      mutable.set(target, place);
      bound.set(value, place);
      initial.push({ place, weight });
    } else {
      const record = records.of(weight.storage);
      read.add(record);
      bound.set(value, { dtype, shape, strides, offset, buffer: record });
    }
  }
  const totalBytes = [...read].reduce((n, { bytes }) => n + bytes, 0);
  records.watch((record) => {
    if (read.has(record)) onRead(record.bytes, totalBytes);
  });
  return {
    bound,
    mutable,
    initialise: async () => {
      for (const { place, weight } of initial) writePlace(heap, place, (await readTensor(weight)).bytes);
    },
    records: [...read],
  };
}
