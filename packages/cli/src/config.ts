import type { Backend } from "@pt2/backend";
import type { OpHandler, OpSet } from "@pt2/registry";

/** What the command line says about a backend. */
export interface BackendSettings {
  /** `--device`. */
  readonly device?: string | undefined;
  /** `--threads`. */
  readonly threads?: number | undefined;
  /** `--narrow-float64`: float64 may be stored as float32 where the backend has no float64. */
  readonly narrowFloat64?: boolean;
}

/** What `pt2.config.ts` tells the command line of a project: backends, ops and handlers that every command has. */
export interface Pt2Config {
  /** The backend of commands without `--backend`: one of `backends`, or wasm, libtorch or webgpu. */
  readonly backend?: string;
  /** Further backends by the name that `--backend` takes; also other settings for wasm, libtorch and webgpu. */
  readonly backends?: Readonly<Record<string, (settings: BackendSettings) => Backend | PromiseLike<Backend>>>;
  /** Op sets, as `load` takes them; those of `--ops` come after them. */
  readonly ops?: readonly OpSet[];
  /** Handlers, as `load` takes them; those of `--ops` come after them. */
  readonly handlers?: readonly OpHandler[];
}

/** Returns the configuration as it is, typed: `export default defineConfig({ … })` in `pt2.config.ts`. */
export function defineConfig(config: Pt2Config): Pt2Config {
  return config;
}
