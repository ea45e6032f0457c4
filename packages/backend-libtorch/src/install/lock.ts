import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installError } from "./install-errors.ts";

/** How long a lock waits. */
export interface LockOptions {
  /** Called once when another process holds the lock. */
  readonly onWait?: () => void;
  /** How often the holder touches the file. @default 2000 */
  readonly beatMs?: number;
  /** A lock that was not touched for this long is taken over. @default 15000 */
  readonly staleMs?: number;
  /** Gives up after this time. @default 30 minutes */
  readonly patienceMs?: number;
}

const POLL_MS = 50;

/**
 * Runs `work` while no other process (or thread) runs work under the same lock file. The holder touches the file while
 * it lives, so a lock whose holder was killed is taken over.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const { onWait, beatMs = 2000, staleMs = 15_000, patienceMs = 30 * 60_000 } = options;
  await mkdir(dirname(file), { recursive: true }).catch((problem: unknown) => {
    throw notWritable(file, problem);
  });
  const owner = `${process.pid} ${randomUUID()}`;
  const begin = performance.now();
  for (let waited = false; !(await create(file, owner)); waited = true) {
    if (!waited) onWait?.();
    if (await isStale(file, staleMs)) await takeAway(file, staleMs);
    else await sleep(POLL_MS);
    if (performance.now() - begin > patienceMs) {
      throw installError("libtorch.lock", {
        what: `Another process has held a lock for ${Math.round(patienceMs / 1000)} s`,
        where: file,
        advice: "end that process; if it no longer exists, remove the file",
      });
    }
  }
  const heart = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, beatMs);
  heart.unref();
  try {
    return await work();
  } finally {
    clearInterval(heart);
    // The file stays if another process has taken the lock over because this one seemed dead.
    if ((await readFile(file, "utf8").catch(() => "")) === owner) await rm(file, { force: true });
  }
}

async function create(file: string, owner: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(owner);
    await handle.close();
    return true;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw notWritable(file, problem);
  }
}

async function isStale(file: string, staleMs: number): Promise<boolean> {
  const touched = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  return touched !== undefined && Date.now() - touched > staleMs;
}

/**
 * Removes a dead lock. It renames first: of several processes one succeeds, and removes that very file. A process that
 * is late, and has renamed the lock of a faster one, puts it back.
 */
async function takeAway(file: string, staleMs: number): Promise<void> {
  const grave = `${file}.${randomUUID()}`;
  await rename(file, grave).catch(() => undefined);
  if (!(await isStale(grave, staleMs))) await link(grave, file).catch(() => undefined);
  await rm(grave, { force: true });
}

function notWritable(file: string, cause: unknown): Error {
  return installError("libtorch.lock", {
    what: "The cache folder cannot be written",
    where: file,
    advice: "make it writable, or name another folder with PT2_CACHE",
    cause,
  });
}
