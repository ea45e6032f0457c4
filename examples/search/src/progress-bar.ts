const WIDTH = 30;

/** Draws a bar over itself; on what is not a terminal only the last state is printed. */
export function progressBar(label: string, total: number, out: NodeJS.WriteStream): (done: number) => void {
  return (done) => {
    if (!out.isTTY && done < total) return;
    const filled = Math.round((WIDTH * done) / Math.max(total, 1));
    const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
    out.write(`${out.isTTY ? "\r" : ""}${label} ${bar} ${done}/${total}${done >= total ? "\n" : ""}`);
  };
}
