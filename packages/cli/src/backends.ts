import type { Backend, Seed } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import { cliError, usageError } from "./cli-errors.ts";
import type { OptionSpec } from "./command-syntax.ts";
import type { BackendSettings, Pt2Config } from "./config.ts";
import { buildNativeModule } from "./libtorch/build.ts";
import { libtorchPackage, webgpuPackage } from "./optional-package.ts";
import type { Options } from "./options.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** A backend that the command line can create. */
export interface KnownBackend {
  readonly name: string;
  /** The npm package, or the configuration that has it. */
  readonly package: string;
  readonly about: string;
  /** Returns why the backend is not chosen by default; undefined where it can start at once. */
  obstacle(): Promise<string | undefined>;
  /** Rejects where the package is not installed or does not work. */
  create(settings: BackendSettings, terminal: Terminal): Promise<Backend>;
}

/** The backends in order of preference. Packages are imported on demand: only the bundled one has to be installed. */
const BACKENDS: readonly KnownBackend[] = [
  {
    name: "libtorch",
    package: "@pt2/backend-libtorch",
    about: "PyTorch's own C++ library: every op, CPU and CUDA",
    async obstacle() {
      const { findBuiltAddon } = await libtorchPackage();
      // A default choice must not start a compiler.
      const build = await findBuiltAddon();
      return build === undefined
        ? "pt2 libtorch install, or with a libtorch already here pt2 libtorch build"
        : undefined;
    },
    async create({ device = "cpu", threads }, terminal) {
      const { libtorch } = await libtorchPackage();
      await buildNativeModule(terminal);
      return await libtorch({ device, ...(threads !== undefined && { threads }) });
    },
  },
  {
    name: "wasm",
    package: "@pt2/backend-wasm",
    about: "embedded WebAssembly SIMD, works everywhere",
    obstacle: async () => undefined,
    async create({ device = "cpu", threads }) {
      if (device !== "cpu") throw usageError(`The wasm backend has no device "${device}"`, "omit --device");
      const { wasm } = await import("@pt2/backend-wasm/node");
      // This thread has no other work, and a worker would copy every input and result.
      return wasm({ worker: false, ...(threads !== undefined && { threads }) });
    },
  },
  {
    name: "webgpu",
    package: "@pt2/backend-webgpu",
    about: "the GPU through WebGPU (Dawn: Vulkan, Metal, Direct3D 12)",
    // Listed after the bundled backend, so it is used only by name: the GPU found here may be emulated on the CPU.
    obstacle: async () => undefined,
    async create({ device, threads, narrowFloat64 = false }) {
      if (device !== undefined && device !== "gpu")
        throw usageError(`The webgpu backend has no device "${device}"`, "omit --device");
      if (threads !== undefined) throw usageError("The webgpu backend has no threads to set", "omit --threads");
      const { webgpu } = await webgpuPackage();
      return await webgpu({ narrowFloat64 });
    },
  },
];

/** Options of commands that need a backend. */
export const BACKEND_OPTIONS: readonly OptionSpec[] = [
  {
    name: "backend",
    value: "B",
    help: `${BACKENDS.map(({ name }) => name).join(" or ")}; default: that of the configuration, PT2_BACKEND, or the best one that is ready`,
  },
  { name: "device", value: "D", help: "device of the backend: cpu, cuda:0" },
  { name: "threads", value: "N", help: "threads of the backend" },
  { name: "narrow-float64", help: "webgpu: store float64 as float32, because WebGPU has no float64" },
];

/** The option for the seed that {@link chooseBackend} gives the backend. */
export const SEED_OPTION: OptionSpec = {
  name: "seed",
  value: "N",
  help: "seed of random numbers, as of torch.manual_seed",
};

/** Returns `--seed`, which is what PyTorch takes. */
export function seedOf(options: Options): Seed | undefined {
  const seed = options.integer("seed");
  if (seed === undefined || (seed >= -(2n ** 63n) && seed < 2n ** 64n)) return seed;
  throw usageError(`--seed takes a whole number from -2^63 to 2^64 - 1, not "${options.text("seed")}"`);
}

/** Returns the backend that the options name, or the best one that is ready, with the seed that they give. */
export async function chooseBackend(options: Options, terminal: Terminal): Promise<Backend> {
  const seed = seedOf(options);
  const backend = await namedBackend(options, terminal);
  if (seed !== undefined) seedBackend(backend, seed);
  return backend;
}

function seedBackend(backend: Backend, seed: Seed): void {
  if (backend.manualSeed === undefined) throw usageError(`The ${backend.name} backend takes no seed`, "omit --seed");
  backend.manualSeed(seed);
}

async function namedBackend(options: Options, terminal: Terminal): Promise<Backend> {
  const threads = options.number("threads");
  const settings = {
    device: options.text("device"),
    narrowFloat64: options.flag("narrow-float64"),
    ...(threads !== undefined && { threads: options.count("threads", 1, 1) }),
  };
  const named = options.text("backend") ?? options.config.backend ?? process.env.PT2_BACKEND;
  if (named) return await createBackend(named, settings, terminal, options.config);
  for (const known of BACKENDS) {
    if ((await obstacleOf(known)) === undefined) return await known.create(settings, terminal);
  }
  throw cliError("cli.backend", { what: "No backend works here", advice: "see `pt2 doctor`" });
}

/** Creates a backend by name. */
export async function createBackend(
  name: string,
  settings: BackendSettings,
  terminal: Terminal,
  config: Pt2Config,
): Promise<Backend> {
  const backends = backendsOf(config);
  const known = backends.find((one) => one.name === name);
  if (known !== undefined) return await known.create(settings, terminal);
  throw cliError("cli.backend", {
    what: `There is no backend "${name}"`,
    advice: `choose one of ${[...new Set(backends.map((one) => one.name))].join(", ")}`,
  });
}

/** Returns the backends of a configuration, which are first, and all others. */
export function backendsOf({ backends = {} }: Pt2Config): readonly KnownBackend[] {
  const own = Object.entries(backends).map(([name, make]) => ({
    name,
    package: "pt2.config",
    about: "as the configuration of this project makes it",
    obstacle: async () => undefined,
    create: (settings: BackendSettings) => made(name, make, settings),
  }));
  return [...own, ...BACKENDS.filter(({ name }) => !Object.hasOwn(backends, name))];
}

/** Makes a backend of the configuration, whose code may fail in any way. */
async function made(
  name: string,
  make: NonNullable<Pt2Config["backends"]>[string],
  settings: BackendSettings,
): Promise<Backend> {
  try {
    return await make(settings);
  } catch (cause) {
    if (cause instanceof Pt2Error) throw cause;
    throw cliError("cli.backend", {
      what: `The backend "${name}" cannot be made: ${cause instanceof Error ? cause.message : cause}`,
      where: "`backends` of the configuration",
      advice: "look at the function that makes it, and at what it imports",
      cause,
    });
  }
}

/** Returns {@link KnownBackend.obstacle}, or what to do where that fails, as for packages that are not installed. */
export async function obstacleOf(known: KnownBackend): Promise<string | undefined> {
  try {
    return await known.obstacle();
  } catch (problem) {
    const { advice, details, message } = problem as Pt2Error;
    return details?.package === undefined ? message : advice;
  }
}
