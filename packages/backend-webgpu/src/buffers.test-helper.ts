/** Counts of the buffers that a device has created. */
export interface BufferCounts {
  /** The number of buffers that were ever created. */
  readonly made: number;
  /** How many of these are not destroyed, and their bytes. */
  readonly live: number;
  readonly bytes: number;
  /** Stops counting. */
  restore(): void;
}

/** Counts the buffers of a device from now on. */
export function countBuffers(device: GPUDevice): BufferCounts {
  const create = device.createBuffer;
  const live = new Map<GPUBuffer, number>();
  let made = 0;
  device.createBuffer = (descriptor) => {
    const buffer = create.call(device, descriptor);
    const destroy = buffer.destroy;
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy.call(buffer);
    };
    live.set(buffer, descriptor.size);
    made++;
    return buffer;
  };
  return {
    get made() {
      return made;
    },
    get live() {
      return live.size;
    },
    get bytes() {
      return [...live.values()].reduce((sum, size) => sum + size, 0);
    },
    restore: () => {
      device.createBuffer = create;
    },
  };
}
