import { spawn } from "node:child_process";

/** The output of a program, and its exit code (null where a signal ended it). */
export interface Captured {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a program's run. */
export interface CaptureOptions {
  readonly cwd?: string;
  /** The whole environment. @default this process's */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program to its end. Rejects only where it cannot start. */
export function capture(program: string, args: readonly string[], options: CaptureOptions = {}): Promise<Captured> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...options,
      env: { ...(options.env ?? process.env) },
      shell: process.platform === "win32",
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs TypeScript with the packages resolved to their sources. */
export function captureScript(args: readonly string[], options: CaptureOptions = {}): Promise<Captured> {
  return capture(process.execPath, ["-C", "dev", "--import", import.meta.resolve("tsx"), ...args], options);
}
