import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const COMMAND = ["-C", "dev", "--import", import.meta.resolve("tsx"), MAIN];

it.skipIf(!existsSync("/dev/full"))("pt2 says that there is no space for its results", () => {
  const full = openSync("/dev/full", "w");
  const run = (...stdio: readonly ("pipe" | number)[]) =>
    spawnSync(process.execPath, [...COMMAND, "--version"], { encoding: "utf8", stdio: ["ignore", ...stdio] });
  const { status, stderr } = run(full, "pipe");
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/cannot be written\n {2}where: stdout\n {2}what to do: ENOSPC.*\n {2}code: cli.io\n$/),
  ]);
  expect(run(full, full).status).toBe(2);
  closeSync(full);
});
