import type { Backend } from "@pt2/backend";
import { cliError, usageError } from "./cli-errors.ts";
import type { OptionSpec, Options } from "./options.ts";

/** What a user may ask of a backend. */
export interface BackendWishes {
  readonly device?: string | undefined;
  readonly threads?: number | undefined;
}

/** A backend that this program knows to try. */
export interface KnownBackend {
  readonly name: string;
  /** npm package. */
  readonly package: string;
  readonly about: string;
  /** Fails where the package is not installed or does not work here. */
  create(wishes: BackendWishes): Promise<Backend>;
}

/** Best first. Packages are imported when they are asked for: none but the embedded one has to be installed. */
export const BACKENDS: readonly KnownBackend[] = [
  {
    name: "wasm",
    package: "@pt2/backend-wasm",
    about: "embedded WebAssembly SIMD, one thread, works everywhere",
    async create({ device = "cpu", threads = 1 }) {
      if (device !== "cpu") throw usageError(`The wasm backend has no device "${device}"`, "leave --device out");
      if (threads !== 1) throw usageError(`The wasm backend has one thread, not ${threads}`, "leave --threads out");
      const { wasm } = await import("@pt2/backend-wasm/node");
      // Nothing else waits for this thread, and a worker would cost a copy of every input and result.
      return wasm({ worker: false });
    },
  },
];

/** Options of commands that need a backend. */
export const BACKEND_OPTIONS: readonly OptionSpec[] = [
  { name: "backend", value: "B", help: `${BACKENDS.map(({ name }) => name).join(" or ")}; default: the best here` },
  { name: "device", value: "D", help: "device of the backend" },
];

/** The backend that was asked for, or the best that works here. */
export async function chooseBackend(
  options: Options,
  named: string | undefined = options.text("backend"),
): Promise<Backend> {
  const wishes = { device: options.text("device"), threads: options.number("threads") };
  if (named !== undefined) return await create(knownBackend(named), wishes);
  const problems: unknown[] = [];
  for (const known of BACKENDS) {
    try {
      return await create(known, wishes);
    } catch (problem) {
      problems.push(problem);
    }
  }
  throw problems[0];
}

function knownBackend(name: string): KnownBackend {
  const known = BACKENDS.find((one) => one.name === name);
  if (known !== undefined) return known;
  throw cliError("cli.backend", {
    what: `There is no backend "${name}"`,
    advice: `choose one of ${BACKENDS.map((one) => one.name).join(", ")}`,
  });
}

async function create(known: KnownBackend, wishes: BackendWishes): Promise<Backend> {
  try {
    return await known.create(wishes);
  } catch (cause) {
    if ((cause as { readonly code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw cliError("cli.backend", {
      what: `The backend "${known.name}" is not installed`,
      where: known.package,
      advice: `npm install ${known.package}`,
      cause,
    });
  }
}
