import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The runtimes that are compared. */
export const KINDS = ["fast", "exact", "onnx", "eager", "exported", "compiled"] as const;
export type Kind = (typeof KINDS)[number];

/** What a subject reports when it is ready: seconds, and for those in Node the worst error against PyTorch. */
export interface Ready {
  readonly load: number;
  readonly first: number;
  readonly error?: number;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What a subject runs on. */
export interface SubjectOptions {
  readonly models: string;
  readonly name: string;
  readonly threads: number;
  readonly python: string;
}

/**
 * A process of its own with a model loaded, so that the threads of one subject never wait for work beside those of
 * another.
 */
export class Subject {
  readonly ready: Promise<Ready>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #errors = "";

  constructor(kind: Kind, { models, name, threads, python }: SubjectOptions) {
    const inNode = kind === "fast" || kind === "exact" || kind === "onnx";
    const command = inNode
      ? [process.execPath, "-C", "dev", "--import", "tsx", here("subject.ts")]
      : [python, here("subject.py")];
    const [file, ...args] = [...command, kind, models, name, String(threads)];
    const env = { ...process.env, OMP_NUM_THREADS: String(threads) };
    this.#child = spawn(file!, args, { cwd: here("../.."), env });
    this.#child.stderr.on("data", (chunk) => {
      this.#errors = (this.#errors + String(chunk)).slice(-2000);
    });
    this.#reader = createInterface({ input: this.#child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    this.ready = this.#next().then((line) => JSON.parse(line) as Ready);
  }

  /** Runs one forward and returns its milliseconds. */
  async run(): Promise<number> {
    this.#child.stdin.write("\n");
    return Number(await this.#next());
  }

  close(): void {
    this.#child.stdin.end();
    this.#child.kill();
    this.#reader.close();
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`A subject ended: ${this.#errors}`);
    return value;
  }
}
