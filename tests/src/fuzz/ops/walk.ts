import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { CallSpec } from "./call-spec.ts";
import { HEADER, type WorkerLine, type WorkerTask } from "./worker-protocol.ts";

/** A call that ended its process, did not return, or threw an error without a code. */
export interface Finding {
  readonly call: CallSpec;
  /** The problem: `SIGSEGV`, `hang`, `exit 1`, or the error. */
  readonly problem: string;
}

export interface WalkOptions extends Pick<WorkerTask, "guard" | "seed" | "calls" | "work"> {
  /** The seconds after which a call counts as one that does not return. @default 20 */
  readonly seconds?: number;
  readonly onFinding?: (finding: Finding) => void;
  readonly onOp?: (op: number, line: WorkerLine) => void;
}

/** The result of a walk. */
export interface WalkResult {
  readonly findings: readonly Finding[];
  readonly calls: number;
  /** The number of calls that gave results. */
  readonly ran: number;
}

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/**
 * Makes the calls in processes of their own: a process that dies is a finding, and the walk continues after that op.
 */
export async function walk(options: WalkOptions): Promise<WalkResult> {
  const { work, onFinding, onOp } = options;
  const count = "ops" in work ? work.ops.length : work.replay.length;
  const folder = mkdtempSync(join(tmpdir(), "pt2-walk-"));
  const findings: Finding[] = [];
  let [calls, ran] = [0, 0];
  const found = (finding: Finding): void => {
    findings.push(finding);
    onFinding?.(finding);
  };
  try {
    for (let first = 0; first < count; ) {
      const rest = "ops" in work ? { ops: work.ops.slice(first) } : { replay: work.replay.slice(first) };
      let done = 0;
      const end = await runWorker({ ...options, state: join(folder, "state"), work: rest }, (line) => {
        done = line.done + 1;
        calls += line.calls;
        ran += line.ran;
        line.strange.forEach(found);
        onOp?.(first + line.done, line);
      });
      if (end !== null) found(end);
      first += done + 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { findings, calls, ran };
}

type Run = WorkerTask & Pick<WalkOptions, "seconds">;

/** Runs a worker; returns null when it reached the end of its task. */
async function runWorker(run: Run, onLine: (line: WorkerLine) => void): Promise<Finding | null> {
  const { state, guard, seed, calls, work, seconds = 20 } = run;
  const task: WorkerTask = { state, guard, seed, calls, work };
  rmSync(state, { force: true });
  const args = ["--expose-gc", "-C", "dev", "--import", "tsx", WORKER, JSON.stringify(task)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  createInterface(child.stdout).on("line", (line) => {
    if (line.startsWith('{"done"')) onLine(JSON.parse(line) as WorkerLine);
  });
  let [last, since, hangs] = [-1, Date.now(), false];
  const watch = setInterval(() => {
    const { made } = readState(state);
    if (made !== last) [last, since] = [made, Date.now()];
    hangs = Date.now() - since > (made === 0 ? Math.max(seconds, 120) : seconds) * 1000;
    if (hangs) child.kill("SIGKILL");
  }, 500);
  const ended = await new Promise<string | null>((resolve) => {
    child.on("close", (code, signal) => resolve(signal ?? (code === 0 ? null : `exit ${code}`)));
  });
  clearInterval(watch);
  if (ended === null) return null;
  const { call } = readState(state);
  if (call === null) throw new Error(`A worker ended with ${ended} before its first call: ${errors}`);
  return { call, problem: hangs ? "hang" : ended };
}

function readState(path: string): { readonly made: number; readonly call: CallSpec | null } {
  try {
    const bytes = readFileSync(path);
    const [made = 0, length = 0] = bytes.toString("latin1", 0, HEADER).split(" ").map(Number);
    if (length === 0) return { made: 0, call: null };
    return { made, call: JSON.parse(bytes.toString("utf8", HEADER, HEADER + length)) as CallSpec };
  } catch {
    return { made: 0, call: null };
  }
}
