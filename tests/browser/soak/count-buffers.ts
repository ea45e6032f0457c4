/** Counts buffers of all GPU devices from now on: those that are made and neither destroyed nor gone with their device. */
export function countBuffers(): () => number {
  if (!("GPUDevice" in globalThis)) return () => 0;
  const live = new Set<GPUBuffer>();
  const { createBuffer, destroy: destroyDevice } = GPUDevice.prototype;
  const { destroy } = GPUBuffer.prototype;
  const devices = new WeakMap<GPUBuffer, GPUDevice>();
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    devices.set(buffer, this);
    live.add(buffer);
    return buffer;
  };
  GPUBuffer.prototype.destroy = function () {
    live.delete(this);
    return destroy.call(this);
  };
  GPUDevice.prototype.destroy = function () {
    for (const buffer of live) if (devices.get(buffer) === this) live.delete(buffer);
    return destroyDevice.call(this);
  };
  return () => live.size;
}
