import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** An X server without a screen. */
export interface Display {
  /** What `DISPLAY` has to be. */
  readonly name: string;
  close(): Promise<void>;
}

/**
 * Starts an X server on a display that is free. `xvfb-run` would wait for a signal, and for ever where that comes before it
 * waits, as on a machine that is busy; here the server writes the number of its display once it can be used.
 */
export async function startDisplay(xvfb: string): Promise<Display> {
  const args = ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"];
  const server = spawn(xvfb, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => void server.once("exit", () => resolve()));
  return { name: `:${await numberOf(server)}`, close: () => endOf(server, ended) };
}

function numberOf(server: ChildProcess): Promise<number> {
  let said = "";
  server.stderr!.on("data", (data) => (said = `${said}${data}`.slice(-4000)));
  return new Promise((resolve, reject) => {
    let written = "";
    (server.stdio[3] as Readable).on("data", (data) => {
      written += data;
      if (written.includes("\n")) resolve(Number(written));
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`Xvfb ended with ${code}\n${said}`)));
  });
}

async function endOf(server: ChildProcess, ended: Promise<void>): Promise<void> {
  server.kill();
  await ended;
}
