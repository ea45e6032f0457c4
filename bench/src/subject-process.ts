import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { timed } from "./statistics.ts";

/**
 * A process of its own with a model loaded, so that the threads of one subject never wait for work beside those of
 * another. It prints a line of JSON when it is ready, and for each line that it reads the milliseconds of a run.
 */
export class SubjectProcess<Ready> {
  readonly ready: Promise<Ready>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #errors = "";

  /** Starts a command in the folder of the benchmarks. */
  constructor([file, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) {
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    this.#child = spawn(file, args, { cwd, env: { ...process.env, ...env } });
    this.#child.stderr.on("data", (chunk) => {
      this.#errors = (this.#errors + String(chunk)).slice(-2000);
    });
    this.#reader = createInterface({ input: this.#child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.ready = this.line().then((line) => JSON.parse(line) as Ready);
  }

  /** Runs once and returns the milliseconds. A subject that can run in several ways is told which. */
  async run(way = ""): Promise<number> {
    this.#child.stdin.write(`${way}\n`);
    return Number(await this.line());
  }

  close(): void {
    this.#child.stdin.end();
    this.#child.kill();
    this.#reader.close();
  }

  /** Returns the next line that it prints. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`A subject ended: ${this.#errors}`);
    return value;
  }
}

/** The command that runs a script of the benchmarks in Node. */
export function scriptCommand(script: URL, args: readonly string[]): readonly [string, ...string[]] {
  return [process.execPath, "-C", "dev", "--import", "tsx", fileURLToPath(script), ...args];
}

/** In the process of a subject: says that it is ready, and for each line that comes what a run takes. */
export async function answerRuns<Ready>(ready: Ready, run: () => Promise<unknown>): Promise<never> {
  const time = timed(run);
  console.log(JSON.stringify(ready));
  for await (const _line of createInterface({ input: process.stdin })) console.log(await time());
  process.exit(0);
}
