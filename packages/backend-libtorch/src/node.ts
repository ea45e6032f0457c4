export type { BuildOptions } from "./install/build-addon.ts";
export type { BuildProgress } from "./install/compile.ts";
export {
  type FindOptions,
  findLibtorch,
  type LibtorchPlace,
  type LibtorchSearch,
  searchLibtorch,
} from "./install/find-libtorch.ts";
export { INSTALL_ERRORS, type InstallErrorCode } from "./install/install-errors.ts";
export type { Libtorch } from "./install/libtorch.ts";
export { type LoadedAddon, type LoadOptions, loadAddon } from "./install/load-addon.ts";
