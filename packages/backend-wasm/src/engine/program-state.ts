import { numel } from "@pt2/backend";
import { DTYPES, type WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { wasmError } from "../wasm-errors.ts";
import { checkWeight, checkWrite } from "./check-weight.ts";
import type { Constant } from "./constant.ts";
import { forEachOffset, writePlace } from "./elements.ts";
import { OwnBuffer, type Place, rowMajor } from "./place.ts";
import type { HostData, RunValue } from "./run-value.ts";
import type { WeightRecords } from "./weight-records.ts";

/** Weights and buffers of a program: constants that plans may fold, and state that runs write. */
export interface ProgramState {
  /** Place of every placeholder that is not a user input, by value name. */
  readonly bound: ReadonlyMap<string, Place>;
  /** Places of mutated buffers and parameters, by target name. */
  readonly mutable: ReadonlyMap<string, Place>;
  /** Reads the initial values of what runs may write. */
  initialise(): Promise<void>;
  /** A result that is to be written to a buffer, if it has the buffer's dtype and shape. */
  checkWrite(target: string, result: RunValue): HostData;
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
  const written = new Set(
    program.outputs.flatMap((spec) =>
      spec.kind === "buffer_mutation" || spec.kind === "parameter_mutation" ? [spec.target] : [],
    ),
  );
  const bound = new Map<string, Place>();
  const mutable = new Map<string, Place>();
  const initial: { readonly place: Place; readonly weight: WeightTensor }[] = [];
  for (const spec of program.inputs) {
    if (spec.kind !== "parameter" && spec.kind !== "buffer" && spec.kind !== "tensor_constant") continue;
    const weight = weights.get(spec.target);
    if (weight === undefined) {
      throw wasmError("wasm.missing-weight", {
        what: `The program needs ${spec.kind} "${spec.target}", which the archive does not have`,
        advice: "Export the program again; the file is incomplete.",
        details: { target: spec.target },
      });
    }
    checkWeight(spec.target, weight, program.graph.values.get(spec.value));
    const { dtype, shape, strides, storageOffset: offset } = weight;
    if (written.has(spec.target)) {
      const bytes = numel(shape) * DTYPES[dtype].itemsize;
      const place: Place = {
        dtype,
        shape,
        strides: rowMajor(shape),
        offset: 0,
        buffer: new OwnBuffer(heap.alloc(bytes), bytes),
      };
      mutable.set(spec.target, place);
      bound.set(spec.value, place);
      initial.push({ place, weight });
    } else {
      const record = records.of(weight.storage);
      read.add(record);
      bound.set(spec.value, { dtype, shape, strides, offset, buffer: record });
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
      for (const { place, weight } of initial) writePlace(heap, place, await denseBytes(weight));
    },
    checkWrite: (target, result) => checkWrite(target, mutable.get(target), result),
    records: [...read],
  };
}

/** A weight's elements row-major. */
async function denseBytes({ dtype, shape, strides, storageOffset, storage }: WeightTensor): Promise<Uint8Array> {
  const size = DTYPES[dtype].itemsize;
  const source = await storage.read();
  const out = new Uint8Array(numel(shape) * size);
  let to = 0;
  forEachOffset({ shape, strides }, (offset) => {
    const from = (storageOffset + offset) * size;
    for (let i = 0; i < size; i++) out[to++] = source[from + i]!;
  });
  return out;
}
