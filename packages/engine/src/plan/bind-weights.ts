import { readTensor, type WeightTensor } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { programWeights } from "../staged/program-weights.ts";
import type { Constant } from "./constant.ts";
import { bytesOf } from "./derive.ts";
import { DedicatedBuffer } from "./device-buffer.ts";
import type { DeviceTypes } from "./device-types.ts";
import type { PlanDevice } from "./plan-device.ts";
import { type TensorView, viewOf } from "./tensor-view.ts";

/** The weights and buffers of a program: constants that plans may fold, and state that runs write. */
export interface ProgramState<Handle> {
  /** A view for every placeholder that is not a user input, by value name. */
  readonly bound: ReadonlyMap<string, TensorView<Handle>>;
  /** Views of the buffers and parameters that the program writes, by target name. */
  readonly mutable: ReadonlyMap<string, TensorView<Handle>>;
  /** The weight records that plans may read, with their size in the file. */
  readonly records: readonly Constant<Handle>[];
  readonly bytes: number;
  /** Reads the initial values of what runs may write. */
  initialize(): Promise<void>;
}

/** Reads weights, and has memory for what runs write. */
export interface DeviceStorage<Handle> {
  record(weight: WeightTensor): Constant<Handle>;
  allocate(bytes: number, label: string): Handle;
  /** Returns the signal that ends the reads of initial values. */
  signal?(): AbortSignal | undefined;
}

/** Binds placeholders to weights. Nothing is read yet. */
export function bindWeights<T extends DeviceTypes>(
  program: Program,
  weights: ReadonlyMap<string, WeightTensor>,
  storage: DeviceStorage<T["handle"]>,
  device: Pick<PlanDevice<T>, "itemsize" | "write">,
): ProgramState<T["handle"]> {
  const records = new Set<Constant<T["handle"]>>();
  const bound = new Map<string, TensorView<T["handle"]>>();
  const mutable = new Map<string, TensorView<T["handle"]>>();
  const sizes = new Map<string, number>();
  const initial: (() => Promise<void>)[] = [];
  for (const { value, target, weight, written } of programWeights(program, weights)) {
    const { dtype, shape, strides, storageOffset: offset } = weight;
    if (!written) {
      const record = storage.record(weight);
      records.add(record);
      sizes.set(weight.storage.id, weight.storage.nbytes);
      bound.set(value, { dtype, shape, strides, offset, buffer: record });
      continue;
    }
    const bytes = bytesOf(device, dtype, shape);
    const view = viewOf(new DedicatedBuffer(storage.allocate(bytes, target), bytes), { dtype, shape });
    mutable.set(target, view);
    bound.set(value, view);
    initial.push(async () => {
      device.write(view, (await readTensor(weight, storage.signal?.())).bytes, `\`${target}\``);
    });
  }
  return {
    bound,
    mutable,
    records: [...records],
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    initialize: async () => {
      for (const read of initial) await read();
    },
  };
}
