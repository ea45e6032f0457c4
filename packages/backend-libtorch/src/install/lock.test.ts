import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "./fakes.test-helper.ts";
import { withLock } from "./lock.ts";

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return { ...real, stat: vi.fn(real.stat) };
});

async function lockFile(): Promise<string> {
  return join(await temporaryFolder(), "inner/it.lock");
}

const HOUR_MS = 3600_000;

/** Gives a file the time of so long ago. */
async function touch(file: string, agoMs: number): Promise<void> {
  const past = new Date(Date.now() - agoMs);
  await utimes(file, past, past);
}

/** No holder is taken for dead, however slow the machine. */
const NEVER = { staleMs: Number.POSITIVE_INFINITY } as const;

/** Work that is under way from `begun` until `end` is called. */
function gate(): { readonly work: () => Promise<void>; readonly begun: Promise<void>; readonly end: () => void } {
  let begin = (): void => {};
  let end = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<void> => {
    begin();
    return ended;
  };
  return { work, begun, end: () => end() };
}

it("lets one work at a time, and goes away", async () => {
  const file = await lockFile();
  const { work: first, end } = gate();
  let inside = 0;
  let most = 0;
  let waits = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await first();
    inside--;
  };
  const onWait = (): void => {
    if (++waits === 4) end();
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, work, { ...NEVER, onWait })));
  expect({ most, waits }).toEqual({ most: 1, waits: 4 });
  expect(existsSync(file)).toBe(false);
});

it("is free again after a failure, and gives results", async () => {
  const file = await lockFile();
  await expect(withLock(file, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
  expect(await withLock(file, async () => 7)).toBe(7);
});

it("takes over from a holder that died", async () => {
  const file = await lockFile();
  // Who finds another's name in the file leaves it there.
  await withLock(file, () => writeFile(file, "1 dead"));
  await touch(file, HOUR_MS);
  expect(await withLock(file, () => readFile(file, "utf8"))).toMatch(new RegExp(`^${process.pid} `));
});

it("takes over once, of several that found the holder dead", async () => {
  const file = await lockFile();
  await withLock(file, () => writeFile(file, "1 dead"));
  await touch(file, 2 * HOUR_MS);
  const { work, begun, end } = gate();
  const order: string[] = [];
  const hold = async (): Promise<void> => {
    await work();
    order.push("first out");
  };
  // The second one has seen the dead lock, and goes on when the first one has the lock.
  const { stat: look } = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
  const seen = new Promise<void>((resolve) => {
    vi.mocked(stat).mockImplementationOnce(async (path) => {
      const found = await look(path);
      resolve();
      await begun;
      setTimeout(end, 200);
      return found;
    });
  });
  const second = withLock(file, async () => void order.push("second in"), { staleMs: HOUR_MS });
  await seen;
  await withLock(file, hold, { staleMs: HOUR_MS });
  await second;
  expect(order).toEqual(["first out", "second in"]);
});

it("waits for a holder that lives, which says so again and again", async () => {
  const file = await lockFile();
  const { work, begun, end } = gate();
  const order: string[] = [];
  const hold = async (): Promise<void> => {
    await work();
    order.push("out");
  };
  const holder = withLock(file, hold, { ...NEVER, beatMs: 1 });
  await begun;
  for (let beat = 0; beat < 2; beat++) {
    await touch(file, 2 * HOUR_MS);
    await expect.poll(async () => Date.now() - (await stat(file)).mtimeMs).toBeLessThan(HOUR_MS);
  }
  // Meanwhile the other one looks a few times; that it looks more or less often changes nothing.
  const onWait = (): void => void setTimeout(end, 200);
  await withLock(file, async () => void order.push("in"), { staleMs: HOUR_MS, onWait });
  await holder;
  expect(order).toEqual(["out", "in"]);
});

it("says for which holder it waited in vain, and which folder it may not write to", async () => {
  const file = await lockFile();
  const { work, begun, end } = gate();
  const holder = withLock(file, work, NEVER);
  await begun;
  await expect(withLock(file, async () => 1, { ...NEVER, patienceMs: 1 })).rejects.toMatchObject({
    code: "libtorch.lock",
    where: file,
  });
  end();
  await holder;
  await writeFile(file, "");
  await expect(withLock(join(file, "below.lock"), async () => 1)).rejects.toMatchObject({ code: "libtorch.lock" });
});

it("holds across processes", async () => {
  const file = await lockFile();
  const log = join(file, "../../log");
  const script = `
    import { appendFileSync } from "node:fs";
    import { withLock } from ${JSON.stringify(fileURLToPath(new URL("lock.ts", import.meta.url)))};
    await withLock(${JSON.stringify(file)}, async () => {
      appendFileSync(${JSON.stringify(log)}, "(");
      await new Promise((done) => setTimeout(done, 50));
      appendFileSync(${JSON.stringify(log)}, ")");
    }, { staleMs: Infinity });`;
  const tsx = import.meta.resolve("tsx");
  const one = (): Promise<number | null> =>
    new Promise((resolve) => {
      const args = ["-C", "dev", "--import", tsx, "--input-type=module", "-e", script];
      spawn(process.execPath, args, { stdio: "inherit" }).on("close", resolve);
    });
  expect(await Promise.all([one(), one(), one()])).toEqual([0, 0, 0]);
  expect(await readFile(log, "utf8")).toBe("()()()");
});
