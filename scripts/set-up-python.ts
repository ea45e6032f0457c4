import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPython, PYTHON_FOLDER } from "./python.ts";
import { ask, run } from "./run.ts";
import { ROOT, readText } from "./workspace.ts";

const REQUIREMENTS = ["scripts/python/requirements.txt", "scripts/python/requirements-nodeps.txt"] as const;
/** Holds builds of torch without CUDA, a tenth of the size of the default ones. */
const CPU_WHEELS = "https://download.pytorch.org/whl/cpu";
const NEEDED = [3, 10] as const;

/** A Python that is ready, or why there is none. */
export type PythonSetup = { readonly python: string } | { readonly missing: string };

/** Makes `.cache/python` with PyTorch and what the scripts need. Costs half a minute, once per requirements. */
export async function setUpPython(say: (line: string) => void): Promise<PythonSetup> {
  if (process.env.PT2_PYTHON !== undefined) {
    const python = findPython();
    return python === undefined ? { missing: `PT2_PYTHON (${process.env.PT2_PYTHON}) has no torch` } : { python };
  }
  const folder = join(ROOT, PYTHON_FOLDER);
  const stamp = join(folder, "requirements.sha256");
  const wanted = createHash("sha256").update(REQUIREMENTS.map(readText).join("\0")).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
    const python = findPython();
    if (python !== undefined) return { python };
  }
  const base = ["python3", "python"].find(isRecent);
  if (base === undefined) return { missing: `no Python ${NEEDED.join(".")} or later on the PATH` };

  say(`Python packages into ${PYTHON_FOLDER} (PyTorch: about 200 MB) …`);
  const failed = await runAll([
    [base, "-m", "venv", folder],
    [inVenv(folder), "-m", "pip", "install", "-q", ...(await indexes()), "-r", REQUIREMENTS[0]],
    [inVenv(folder), "-m", "pip", "install", "-q", "--no-deps", "-r", REQUIREMENTS[1]],
  ]);
  if (failed !== undefined) return { missing: failed };
  writeFileSync(stamp, wanted);
  const python = findPython();
  return python === undefined ? { missing: `${PYTHON_FOLDER} has no torch after the installation` } : { python };
}

function inVenv(folder: string): string {
  return join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
}

function isRecent(command: string): boolean {
  const version = ask(command, "-c", "import sys; print(*sys.version_info[:2])");
  const [major = 0, minor = 0] = version?.split(" ").map(Number) ?? [];
  return major === NEEDED[0] && minor >= NEEDED[1];
}

async function indexes(): Promise<readonly string[]> {
  const reachable = await fetch(`${CPU_WHEELS}/torch/`, { method: "HEAD", signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );
  return reachable ? ["--extra-index-url", CPU_WHEELS] : [];
}

async function runAll(commands: readonly (readonly [string, ...string[]])[]): Promise<string | undefined> {
  for (const [command, ...args] of commands) {
    const { code, output } = await run(command, args);
    if (code !== 0) return `\`${[command, ...args.slice(0, 3)].join(" ")} …\` failed: ${lastLine(output)}`;
  }
  return undefined;
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
