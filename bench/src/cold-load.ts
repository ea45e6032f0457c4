// Measures the cold load of a large file: `load` and `pt2 inspect` against `torch.export.load`, each in a process of
// its own.
import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { NODE_LOAD, PYTHON_LOAD } from "./load-scripts.ts";
import { type Summary, summarize } from "./statistics.ts";

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the measured process reports, in seconds and bytes. */
interface Report {
  readonly seconds: number;
  readonly firstAnswer: number;
  readonly peak: number;
  readonly before: number;
}

/** One way to load a file, over several processes; times are in seconds. */
export interface LoadResult {
  readonly load: Summary;
  readonly firstAnswer: Summary;
  /** The wall time of the process, with its start and its imports. */
  readonly process: Summary;
  /** The largest resident memory of the process when loaded, and how much of it the load added. */
  readonly peakBytes: number;
  readonly loadBytes: number;
}

/** The results of a comparison. */
export interface ColdLoad {
  readonly ours: LoadResult;
  readonly python: LoadResult;
  /** The times of whole processes: `pt2 inspect`; Python that imports torch and loads; Python that imports torch. */
  readonly inspect: Summary;
  readonly pythonImport: Summary;
  /** Whether the built packages ran, or the sources through a loader, which takes longer to start and more memory. */
  readonly built: boolean;
  /** The size of the file. */
  readonly bytes: number;
}

/**
 * Runs every contender `rounds` times in turn. The file is in the page cache after a first round that is not counted.
 */
export async function compareColdLoad(file: string, inputs: string, python: string, rounds: number): Promise<ColdLoad> {
  const built = existsSync(here("../../packages/backend-wasm/dist/index.js"));
  const node = built ? [] : ["-C", "dev", "--import", "tsx"];
  const cli = built ? here("../../packages/cli/dist/main.js") : here("../../packages/cli/src/main.ts");
  const commands = {
    ours: [process.execPath, ...node, "--input-type=module", "-e", NODE_LOAD, file, inputs],
    python: [python, "-W", "ignore", "-c", PYTHON_LOAD, file, inputs],
    inspect: [process.execPath, ...node, cli, "inspect", file],
    pythonImport: [python, "-W", "ignore", "-c", "import torch, torch.export"],
  } as const;
  type Name = keyof typeof commands;
  const names = Object.keys(commands) as Name[];
  const walls: Record<Name, number[]> = { ours: [], python: [], inspect: [], pythonImport: [] };
  const reports: Record<"ours" | "python", Report[]> = { ours: [], python: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const [command, ...args] = commands[name];
      const start = performance.now();
      const { stdout } = await run(command, args, { cwd: here(".."), maxBuffer: 2 ** 26 });
      if (round === 0) continue;
      walls[name].push((performance.now() - start) / 1000);
      if (name === "ours" || name === "python") reports[name].push(JSON.parse(stdout.trim()) as Report);
    }
  }
  const result = (name: "ours" | "python"): LoadResult => ({
    load: summarize(reports[name].map(({ seconds }) => seconds)),
    firstAnswer: summarize(reports[name].map(({ firstAnswer }) => firstAnswer)),
    process: summarize(walls[name]),
    peakBytes: Math.max(...reports[name].map(({ peak }) => peak)),
    loadBytes: Math.max(...reports[name].map(({ peak, before }) => peak - before)),
  });
  return {
    ours: result("ours"),
    python: result("python"),
    inspect: summarize(walls.inspect),
    pythonImport: summarize(walls.pythonImport),
    built,
    bytes: statSync(file).size,
  };
}
