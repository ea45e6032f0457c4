import { join } from "node:path";
import { expect, it } from "vitest";
import { cacheFolder, findCommand } from "./environment.ts";
import { fakeCommand, temporaryFolder } from "./fakes.test-helper.ts";

it("the cache folder is PT2_CACHE, or the platform's", () => {
  expect(cacheFolder({ PT2_CACHE: "/there" })).toBe("/there");
  if (process.platform !== "linux") return;
  expect(cacheFolder({ HOME: "/home-of-me" })).toBe("/home-of-me/.cache/pt2");
  expect(cacheFolder({ HOME: "/home-of-me", XDG_CACHE_HOME: "/elsewhere" })).toBe("/elsewhere/pt2");
  expect(cacheFolder({ HOME: "/home-of-me", XDG_CACHE_HOME: "not-absolute" })).toBe("/home-of-me/.cache/pt2");
});

it("commands are found in the order of their names, never in the current folder", async () => {
  const folder = await fakeCommand("second", "exit 0");
  const PATH = [".", await temporaryFolder(), folder].join(":");
  expect(await findCommand(["first", "second"], { PATH })).toBe(join(folder, "second"));
  expect(await findCommand(["first"], { PATH })).toBeUndefined();
  expect(await findCommand([join(folder, "second")], {})).toBe(join(folder, "second"));
  expect(await findCommand(["second"], {})).toBeUndefined();
});
