export type { Addon, CudaDevice, LibtorchFlags, LibtorchInfo } from "./addon.ts";
export type { AotiModel, AotiOptions } from "./aoti.ts";
export { LibtorchBackend } from "./backend.ts";
export type { OpArgs, OpResult, OpValue } from "./eager/op-args.ts";
export type { LibtorchExecutable } from "./executable.ts";
export type {
  CudaSources,
  KernelCalls,
  LibtorchKernel,
  LibtorchKernelSource,
  LibtorchLibrary,
  LibtorchSources,
} from "./handlers/kernel.ts";
export { type AddonBuild, type BuildOptions, buildAddon, findBuiltAddon } from "./install/build-addon.ts";
export type { BuildProgress } from "./install/compile-job.ts";
export {
  describeLibtorch,
  type FindOptions,
  findLibtorch,
  type LibtorchPlace,
  type LibtorchSearch,
  searchLibtorch,
} from "./install/find-libtorch.ts";
export { INSTALL_ERRORS, type InstallErrorCode } from "./install/install-errors.ts";
export type { InstallProgress } from "./install/install-job.ts";
export {
  type InstalledLibtorch,
  type InstallOptions,
  installLibtorch,
} from "./install/install-libtorch.ts";
export type { Libtorch } from "./install/libtorch.ts";
export { type LoadedAddon, type LoadOptions, loadAddon } from "./install/load-addon.ts";
export { clearKeptWeights } from "./kept/open-kept-weights.ts";
export { libtorch } from "./libtorch.ts";
export { LIBTORCH_ERRORS, type LibtorchErrorCode } from "./libtorch-errors.ts";
export type { Outputs } from "./native-tensor.ts";
export type { LibtorchOptions, WeightCache } from "./options.ts";
