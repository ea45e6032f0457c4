import { Constant } from "@pt2/engine";
import { DTYPES, type DType, type Storage, type WeightTensor } from "@pt2/format";
import { storageOf } from "../wgsl/storage.ts";
import type { Device } from "./device.ts";
import { isSame, toGpu } from "./element-bytes.ts";
import type { Memory } from "./memory.ts";
import { type CurrentSignal, StorageReader } from "./storage-reader.ts";

/** The weights of one executable: one buffer for each storage of the file and each dtype in which it is viewed. */
export class WeightRecords {
  readonly #device: Device;
  readonly #memory: Memory;
  readonly #reader: StorageReader;
  readonly #onRead: (bytes: number) => void;
  readonly #records = new Map<string, Constant<GPUBuffer>>();
  readonly #storages = new Map<Constant<GPUBuffer>, Storage>();

  /** Takes `onRead`, which is called with the number of bytes that arrived. */
  constructor(device: Device, memory: Memory, onRead: (bytes: number) => void, signal?: CurrentSignal) {
    this.#device = device;
    this.#memory = memory;
    this.#onRead = onRead;
    this.#reader = new StorageReader(signal);
  }

  /** Returns the record of a weight; views and tied weights share it. */
  of({ storage, dtype, name }: WeightTensor): Constant<GPUBuffer> {
    const key = `${dtype} ${storage.id}`;
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    const count = Math.floor(storage.nbytes / DTYPES[dtype].itemsize);
    const bytes = count * storageOf(dtype, this.#device.adapter).bytes;
    const record = new Constant(this.#memory, bytes, name, {
      inputs: [],
      isRecord: true,
      produce: (to) => this.#upload(storage, dtype, name, to),
    });
    this.#records.set(key, record);
    this.#storages.set(record, storage);
    return record;
  }

  /** Announces which records will be loaded next, in order, so that they are read while others are uploaded. */
  expect(records: readonly Constant<GPUBuffer>[]): void {
    this.#reader.expect(records.flatMap((record) => this.#storages.get(record) ?? []));
  }

  async #upload(storage: Storage, dtype: DType, name: string, to: GPUBuffer): Promise<void> {
    const { adapter } = this.#device;
    const { itemsize } = DTYPES[dtype];
    const scale = storageOf(dtype, adapter).bytes / itemsize;
    for await (const { offset, bytes } of this.#reader.take(storage)) {
      const whole = bytes.subarray(0, Math.floor(bytes.byteLength / itemsize) * itemsize);
      const elements = (isSame(dtype, adapter) ? whole : toGpu(dtype, whole, name, adapter)) as Uint8Array<ArrayBuffer>;
      const words = Math.floor(elements.byteLength / 4) * 4;
      this.#memory.write(to, offset * scale, elements.subarray(0, words));
      if (words < elements.byteLength) {
        const last = new Uint8Array(4);
        last.set(elements.subarray(words));
        this.#memory.write(to, offset * scale + words, last);
      }
      this.#onRead(bytes.byteLength);
    }
  }
}
