import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Environment } from "./environment.ts";

/** What a finished command left behind. */
export interface Finished {
  /** The exit code; 1 where a signal ended it or it could not start. */
  readonly code: number;
  readonly stdout: string;
  /** The lines of both streams in order of arrival. */
  readonly lines: readonly string[];
}

/** How a command runs. */
export interface CommandOptions {
  readonly env: Environment;
  readonly cwd?: string;
  /** Ends the command after this time. */
  readonly timeoutMs?: number;
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end. It never throws: the exit code tells success from failure. */
export function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<Finished> {
  const { env, cwd, timeoutMs, onLine } = options;
  return new Promise((resolve) => {
    const lines: string[] = [];
    const say = (line: string): void => {
      lines.push(line);
      onLine?.(line);
    };
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(command, args, {
        env: { ...env } as NodeJS.ProcessEnv,
        stdio: ["ignore", "pipe", "pipe"],
        ...(cwd !== undefined && { cwd }),
        ...(timeoutMs !== undefined && { timeout: timeoutMs, killSignal: "SIGKILL" }),
      });
    } catch (error) {
      // Under `node --permission` no process may be started.
      resolve({ code: 1, stdout: "", lines: [error instanceof Error ? error.message : String(error)] });
      return;
    }
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    const ends = [child.stdout, child.stderr].map((stream) => splitLines(stream, say));
    child.on("error", (error) => resolve({ code: 1, stdout, lines: [...lines, error.message] }));
    child.on("close", (code, signal) => {
      for (const end of ends) end();
      if (signal !== null) say(`ended by ${signal}`);
      resolve({ code: code ?? 1, stdout, lines });
    });
  });
}

/** Splits a stream into lines. Carriage returns end a line too: progress bars use them. */
function splitLines(stream: NodeJS.ReadableStream, say: (line: string) => void): () => void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split(/\r?\n|\r/);
    rest = parts.pop()!;
    for (const part of parts) say(part);
  });
  return () => {
    if (rest !== "") say(rest);
  };
}
