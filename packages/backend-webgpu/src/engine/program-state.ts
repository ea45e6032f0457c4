import { type DeviceData, programWeights } from "@pt2/engine";
import { elementCount, readTensor, type WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { bytesOf, placeIn } from "./context.ts";
import type { Device } from "./device.ts";
import { writePlace } from "./elements.ts";
import type { Memory } from "./memory.ts";
import type { Place } from "./place.ts";
import { OwnBuffer } from "./run-buffer.ts";
import type { Stream } from "./stream.ts";
import type { WeightRecords } from "./weight-records.ts";

/** Weights and buffers of a program: constants that plans may fold, and state that runs write. */
export interface ProgramState {
  /** Place of every placeholder that is not a user input, by value name. */
  readonly bound: ReadonlyMap<string, Place>;
  /** Places of mutated buffers and parameters, by target name. */
  readonly mutable: ReadonlyMap<string, Place>;
  /** Bytes of weights that are to be read, as the file has them. */
  readonly bytes: number;
  /** Reads the initial values of what runs may write. */
  initialise(): Promise<void>;
  /** Stores a result in a buffer. */
  store(target: string, data: DeviceData, stream: Stream): void;
}

/** Binds placeholders to weights. Reads nothing by itself. */
export function bindWeights(
  program: Program,
  weights: ReadonlyMap<string, WeightTensor>,
  records: WeightRecords,
  { device, memory, stream }: { readonly device: Device; readonly memory: Memory; readonly stream: Stream },
): ProgramState {
  const bound = new Map<string, Place>();
  const mutable = new Map<string, Place>();
  const initial: { readonly place: Place; readonly weight: WeightTensor; readonly target: string }[] = [];
  const storages = new Map<string, number>();
  for (const { value, target, weight, written } of programWeights(program, weights)) {
    const { dtype, shape, strides, storageOffset: offset, storage } = weight;
    storages.set(storage.id, storage.nbytes);
    if (!written) {
      bound.set(value, { dtype, shape, strides, offset, buffer: records.of(weight) });
      continue;
    }
    const bytes = bytesOf(dtype, shape, device.adapter);
    const place = placeIn(new OwnBuffer(memory.create(bytes, target), bytes), dtype, shape);
    mutable.set(target, place);
    bound.set(value, place);
    initial.push({ place, weight, target });
  }
  return {
    bound,
    mutable,
    bytes: [...storages.values()].reduce((sum, size) => sum + size, 0),
    initialise: async () => {
      for (const { place, weight, target } of initial) {
        writePlace(stream, place, (await readTensor(weight, stream.signal)).bytes, device.adapter, `\`${target}\``);
      }
    },
    store(target, { handle, shape, dtype }, to) {
      if (elementCount(shape) === 0) return;
      const size = Math.ceil(bytesOf(dtype, shape, device.adapter) / 4) * 4;
      const buffer = (handle as { readonly buffer: GPUBuffer }).buffer;
      to.copy({ buffer, offset: 0, size }, mutable.get(target)!.buffer.gpu());
    },
  };
}
