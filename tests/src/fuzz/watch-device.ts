/** The errors of a device since the last call, whether they were caught or not. */
export interface DeviceWatch {
  complaints(): Promise<readonly string[]>;
  /** The number of live buffers. */
  readonly buffers: number;
}

/** Watches a device from now on: errors of any scope, shaders that it refused, buffers that are not destroyed. */
export function watchDevice(device: GPUDevice): DeviceWatch {
  const heard: string[] = [];
  const live = new Set<GPUBuffer>();
  device.addEventListener("uncapturederror", ({ error }) => heard.push(`uncaptured: ${error.message}`));
  void device.lost.then(({ message }) => heard.push(`lost: ${message}`));
  const { createBuffer } = device;
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    const { destroy } = buffer;
    live.add(buffer);
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy.call(buffer);
    };
    return buffer;
  };
  const { popErrorScope, createComputePipelineAsync } = device;
  device.popErrorScope = async () => {
    const error = await popErrorScope.call(device);
    if (error !== null) heard.push(error.message);
    return error;
  };
  device.createComputePipelineAsync = (descriptor) =>
    createComputePipelineAsync.call(device, descriptor).catch((error: Error) => {
      heard.push(error.message);
      throw error;
    });
  return {
    complaints: async () => {
      await device.queue.onSubmittedWorkDone();
      return heard.splice(0);
    },
    get buffers() {
      return live.size;
    },
  };
}
