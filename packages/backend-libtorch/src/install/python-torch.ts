import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "./command.ts";
import { type Environment, findCommand } from "./environment.ts";

/** A Python that the user may have chosen, and how. */
export interface PythonChoice {
  /** `PT2_PYTHON`, or `python3 on the PATH`. */
  readonly name: string;
  /** The path; undefined where the variable is not set, or the PATH has none. */
  readonly path: string | undefined;
}

/** The folder of torch of a Python, or why it has none. */
export type TorchOfPython = { readonly folder: string } | { readonly problem: string };

const PATIENCE_MS = 20_000;

/** Prints the folder of torch without importing it; the current folder does not count. */
const QUESTION = `
import importlib.util, sys
sys.path[:] = [path for path in sys.path if path]
spec = importlib.util.find_spec("torch")
print((list(spec.submodule_search_locations or []) or [""])[0] if spec else "")
`;

/** Lists the Pythons to ask, in order. */
export async function pythonChoices(env: Environment): Promise<readonly PythonChoice[]> {
  const windows = process.platform === "win32";
  const inside = (prefix: string | undefined, folder: string): string | undefined =>
    prefix ? join(prefix, windows ? folder : "bin", windows ? "python.exe" : "python") : undefined;
  return [
    { name: "PT2_PYTHON", path: env.PT2_PYTHON || undefined },
    { name: "VIRTUAL_ENV", path: inside(env.VIRTUAL_ENV, "Scripts") },
    { name: "CONDA_PREFIX", path: inside(env.CONDA_PREFIX, "") },
    { name: "python3 on the PATH", path: await findCommand(["python3"], env) },
    { name: "python on the PATH", path: await findCommand(["python"], env) },
  ];
}

/** Finds torch of a Python: by the layout of a virtual environment, or by asking the interpreter. */
export async function torchOfPython(python: string, env: Environment): Promise<TorchOfPython> {
  const known = env.PYTHONPATH ? undefined : await torchOfVenv(python);
  if (known !== undefined) return { folder: known };
  const { code, stdout, lines } = await runCommand(python, ["-c", QUESTION], { env, timeoutMs: PATIENCE_MS });
  if (code !== 0) return { problem: `the interpreter failed: ${lines.at(-1) ?? `exit code ${code}`}` };
  const folder = stdout.trim();
  return folder === "" ? { problem: "this Python has no torch" } : { folder };
}

/** Finds torch without an interpreter: starting one takes longer than everything else here. */
async function torchOfVenv(python: string): Promise<string | undefined> {
  const prefix = dirname(dirname(python));
  const names = await namesIn(prefix);
  if (!names.includes("pyvenv.cfg")) return undefined;
  const versions = (await namesIn(join(prefix, "lib"))).filter((name) => /^python3\.\d+$/.test(name));
  if (versions.length !== 1) return undefined;
  const folder = join(prefix, "lib", versions[0]!, "site-packages/torch");
  return (await namesIn(folder)).includes("version.py") ? folder : undefined;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}
