import type { Progress } from "@pt2/runtime";
import { bytesText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

const PATIENCE_MS = 300;
const WIDTH = 30;

/** A bar on stderr for loads that take long enough to be noticed; silent where stderr is no terminal. */
export class ProgressBar {
  readonly #terminal: Terminal;
  readonly #begin = performance.now();
  #drawn = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  readonly update = ({ stage, done, total }: Progress): void => {
    if (!this.#terminal.interactive || performance.now() - this.#begin < PATIENCE_MS) return;
    const part = total === 0 ? 1 : done / total;
    const filled = Math.round(part * WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    const line = `${stage === "weights" ? "loading" : "compiling"} ${bar} ${bytesText(done)} of ${bytesText(total)}`;
    if (line === this.#drawn) return;
    this.#terminal.err(`\r${line}\u001b[K`);
    this.#drawn = line;
  };

  /** Removes the bar. */
  end(): void {
    if (this.#drawn !== "") this.#terminal.err("\r\u001b[K");
    this.#drawn = "";
  }
}
