/** The features and limits of the device that kernels choose by. */
export interface Adapter {
  /** Whether `shader-f16` is enabled: float16 is stored in 16 bits. */
  readonly f16: boolean;
  /** Whether `subgroups` is enabled. */
  readonly subgroups: boolean;
  /** The invocations of a subgroup when the feature is enabled and the number is fixed, else 0. */
  readonly subgroupSize: number;
  /**
   * Whether shaders run on a CPU (lavapipe, SwiftShader): there barriers and workgroup memory cost what they save on a
   * GPU, so kernels keep more in registers and share nothing.
   */
  readonly software: boolean;
  readonly limits: AdapterLimits;
}

/** The limits of the device that kernels and plans depend on. */
export interface AdapterLimits {
  /** The bytes of one storage binding; larger tensors are bound in parts. */
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly maxStorageBuffersPerShaderStage: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
  /** Offsets of bindings are multiples of this. */
  readonly minStorageBufferOffsetAlignment: number;
}

/** Reads the features and limits of a device. */
export function adapterOf(device: GPUDevice): Adapter {
  const { adapterInfo: info } = device;
  const fixed = info.subgroupMinSize === info.subgroupMaxSize ? info.subgroupMinSize : 0;
  const subgroups = device.features.has("subgroups");
  const name = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return {
    f16: device.features.has("shader-f16"),
    subgroups,
    subgroupSize: subgroups ? (fixed ?? 0) : 0,
    software: info.isFallbackAdapter === true || /llvmpipe|lavapipe|swiftshader|\bwarp\b|basic render/i.test(name),
    limits: device.limits,
  };
}
