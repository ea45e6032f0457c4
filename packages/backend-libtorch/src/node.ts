export type { Addon } from "./addon.ts";
export { LibtorchBackend } from "./backend.ts";
export * from "./index.ts";
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
export { type LoadedAddon, type LoadOptions, loadAddon } from "./install/load-addon.ts";
export { libtorch } from "./libtorch.ts";
