import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./workspace.ts";

/** What a finished command left behind. */
export interface Finished {
  /** Exit code; 1 where a signal ended it or it could not start. */
  readonly code: number;
  /** Both streams, in the order in which they arrived. */
  readonly output: string;
}

/** Options of {@link run}. */
export interface RunOptions {
  /** Also shows the output while it arrives. @default false */
  readonly show?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a command from the root. Never throws: the code says how it went. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      // `pnpm` and `npx` are scripts on Windows.
      shell: process.platform === "win32",
    });
    let output = "";
    for (const [stream, shown] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (options.show === true) shown.write(text);
      });
    }
    child.on("error", (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs a TypeScript script of the repository, packages resolved to their sources. */
export function runScript(path: string, ...args: readonly string[]): Promise<Finished> {
  return run(process.execPath, ["-C", "dev", "--import", "tsx", path, ...args]);
}

/** What a command prints on stdout, trimmed; undefined where it fails or does not exist. */
export function ask(command: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** The path of a development tool's command, so that no package manager has to be on the PATH. */
export function localTool(name: string): string {
  return join(ROOT, "node_modules/.bin", name);
}
