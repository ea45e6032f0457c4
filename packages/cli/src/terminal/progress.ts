import type { Progress } from "@pt2/runtime";
import { bytesText } from "../report/text.ts";
import type { Terminal } from "./terminal.ts";

const PATIENCE_MS = 300;
const WIDTH = 30;

/** A progress bar on stderr for slow operations; silent where stderr is not a terminal. */
export class ProgressBar {
  readonly #terminal: Terminal;
  readonly #begin = performance.now();
  #drawn = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  readonly update = ({ stage, done, total }: Progress): void => {
    const label = stage === "weights" ? "loading" : "compiling";
    this.draw(label, done, total, `${bytesText(done)} of ${bytesText(total)}`);
  };

  /** Draws a bar for `done` of `total`, followed by `words`. */
  draw(label: string, done: number, total: number, words: string): void {
    if (!this.#terminal.interactive || performance.now() - this.#begin < PATIENCE_MS) return;
    const part = total === 0 ? 1 : done / total;
    const filled = Math.round(part * WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    const line = `${label} ${bar} ${words}`;
    if (line === this.#drawn) return;
    this.#terminal.err(`\r${line}\u001b[K`);
    this.#drawn = line;
  }

  /** Removes the bar. */
  end(): void {
    if (this.#drawn !== "") this.#terminal.err("\r\u001b[K");
    this.#drawn = "";
  }
}
