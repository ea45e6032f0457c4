import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixtures.test-helper.ts";
import { fileAt, replaceFile, requireReplaceable } from "./replace-file.ts";

const put = (path: string, text: string) => replaceFile(path, (write) => write(Buffer.from(text)));

describe("a file is replaced", () => {
  it("as a whole, or not at all", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.pt2");
    await put(path, "first");
    const fails = replaceFile(path, async (write) => {
      await write(Buffer.from("sec"));
      throw new RangeError("no more");
    });
    await expect(fails).rejects.toThrow(RangeError);
    expect(readFileSync(path, "utf8")).toBe("first");
    expect(readdirSync(folder)).toEqual(["a.pt2"]);
  });

  it("where links lead, also to a file that is not there yet, and the links stay", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "linked"));
    symlinkSync("linked/model.pt2", join(folder, "current.pt2"));
    for (const text of ["first", "second"]) {
      await requireReplaceable(join(folder, "current.pt2"));
      await put(join(folder, "current.pt2"), text);
      expect(readFileSync(join(folder, "real/model.pt2"), "utf8")).toBe(text);
    }
    expect(readlinkSync(join(folder, "current.pt2"))).toBe("linked/model.pt2");
    expect(readdirSync(join(folder, "real"))).toEqual(["model.pt2"]);
    expect(await fileAt(join(folder, "current.pt2"))).toBe(await fileAt(join(folder, "real/model.pt2")));
    symlinkSync("loop.pt2", join(folder, "loop.pt2"));
    await expect(put(join(folder, "loop.pt2"), "x")).rejects.toMatchObject({ code: "cli.io" });
  });

  it.skipIf(process.platform === "win32")("with the permissions that it has", async () => {
    const path = join(temporaryFolder(), "a.pt2");
    writeFileSync(path, "first");
    chmodSync(path, 0o640);
    await put(path, "second");
    expect([statSync(path).mode & 0o777, readFileSync(path, "utf8")]).toEqual([0o640, "second"]);
  });

  it.skipIf(process.platform === "win32")("unless it is a pipe or a device, which is written to", async () => {
    const pipe = join(temporaryFolder(), "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
    await requireReplaceable(pipe);
    const [read] = await Promise.all([readFile(pipe, "utf8"), put(pipe, "through")]);
    expect(read).toBe("through");
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });
});
