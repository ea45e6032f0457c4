import { fileURLToPath } from "node:url";
import { SubjectProcess, scriptCommand } from "../subject-process.ts";

/** The runtimes that are compared. */
export const KINDS = ["fast", "exact", "onnx", "eager", "exported", "compiled"] as const;
export type Kind = (typeof KINDS)[number];

/** What a subject reports when it is ready: seconds, and for those in Node the worst error against PyTorch. */
export interface Ready {
  readonly load: number;
  readonly first: number;
  readonly error?: number;
}

/** What a subject runs on. */
export interface SubjectOptions {
  readonly models: string;
  readonly name: string;
  readonly threads: number;
  readonly python: string;
}

/** A process with a model loaded in one of the runtimes. */
export class Subject extends SubjectProcess<Ready> {
  constructor(kind: Kind, { models, name, threads, python }: SubjectOptions) {
    const args = [kind, models, name, String(threads)];
    const inNode = kind === "fast" || kind === "exact" || kind === "onnx";
    super(
      inNode
        ? scriptCommand(new URL("subject.ts", import.meta.url), args)
        : [python, fileURLToPath(new URL("subject.py", import.meta.url)), ...args],
      { OMP_NUM_THREADS: String(threads) },
    );
  }
}
