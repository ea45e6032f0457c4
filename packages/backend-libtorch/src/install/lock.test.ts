import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "./fakes.test-helper.ts";
import { withLock } from "./lock.ts";

async function lockFile(): Promise<string> {
  return join(await temporaryFolder(), "inner/it.lock");
}

it("lets one work at a time, and goes away", async () => {
  const file = await lockFile();
  let inside = 0;
  let most = 0;
  let waits = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await sleep(20);
    inside--;
  };
  const onWait = (): void => void waits++;
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, work, { onWait })));
  expect({ most, waits }).toEqual({ most: 1, waits: 4 });
  expect(existsSync(file)).toBe(false);
});

it("is free again after a failure, and gives results", async () => {
  const file = await lockFile();
  await expect(withLock(file, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
  expect(await withLock(file, async () => 7)).toBe(7);
});

it("takes over from a holder that died, but not from one that lives", async () => {
  const file = await lockFile();
  const holder = withLock(file, () => sleep(400), { beatMs: 20 });
  await sleep(30);
  const begin = performance.now();
  await withLock(file, async () => undefined, { staleMs: 150 });
  expect(performance.now() - begin).toBeGreaterThan(250);
  await holder;
  await writeFile(file, "1 dead");
  const past = new Date(Date.now() - 60_000);
  await utimes(file, past, past);
  expect(await withLock(file, () => readFile(file, "utf8"))).toMatch(new RegExp(`^${process.pid} `));
});

it("says whom it waited for in vain, and where it may not write", async () => {
  const file = await lockFile();
  const holder = withLock(file, () => sleep(300));
  await sleep(20);
  await expect(withLock(file, async () => 1, { patienceMs: 60 })).rejects.toMatchObject({
    code: "libtorch.lock",
    where: file,
  });
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
    });`;
  const tsx = import.meta.resolve("tsx");
  const one = (): Promise<number | null> =>
    new Promise((resolve) => {
      const args = ["-C", "dev", "--import", tsx, "--input-type=module", "-e", script];
      spawn(process.execPath, args, { stdio: "inherit" }).on("close", resolve);
    });
  expect(await Promise.all([one(), one(), one()])).toEqual([0, 0, 0]);
  expect(await readFile(log, "utf8")).toBe("()()()");
});
