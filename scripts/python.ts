import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask } from "./run.ts";
import { ROOT } from "./workspace.ts";

/** The virtual environment that `pnpm setup` makes, from the root. */
export const PYTHON_FOLDER = ".cache/python";

/**
 * A Python that can import torch: `PT2_PYTHON`, or the one of `pnpm setup`. Undefined where there is none; an answer
 * costs a fraction of a second, torch itself is not loaded.
 */
export function findPython(): string | undefined {
  const own = join(ROOT, PYTHON_FOLDER, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const candidates = [process.env.PT2_PYTHON, existsSync(own) ? own : undefined];
  return candidates.find((python) => python !== undefined && hasModule(python, "torch"));
}

/** Whether a Python can import a module. It is not loaded. */
export function hasModule(python: string, name: string): boolean {
  return ask(python, "-c", `import importlib.util as u; print(u.find_spec('${name}') is not None)`) === "True";
}
