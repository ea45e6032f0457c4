import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../../../scripts/python/bench_detection.py", import.meta.url));

/** A call of torchvision's own kernel, in a process of its own that is told when. */
export interface TorchOp {
  run(): Promise<void>;
  release(): void;
}

/** Starts Python with an op of `bench_detection.py`; resolves when it has computed it once. */
export async function torchOp(python: string, folder: string, name: string, threads: number): Promise<TorchOp> {
  const args = ["-W", "ignore", SCRIPT, "run", folder, name, `${threads}`];
  const child = spawn(python, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<void> => {
    if ((await lines.next()).done === true) throw new Error("Python has ended");
  };
  await next();
  return {
    async run() {
      child.stdin.write("\n");
      await next();
    },
    release: () => child.stdin.end(),
  };
}
