import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { LIBRARY, temporaryFolder } from "./fakes.test-helper.ts";
import type { InstallJob, InstallProgress } from "./install-job.ts";
import { chooseWheel, installFromArchive, type ListedWheel } from "./wheel-archive.ts";

const PLATFORM = process.platform === "darwin" ? "macosx_11_0_arm64" : "manylinux_2_28_x86_64.manylinux_2_27_x86_64";
const TAGS = process.platform === "linux" && process.arch === "arm64" ? "manylinux_2_28_aarch64" : PLATFORM;
const NAME = `torch-2.13.0+cpu-cp312-cp312-${TAGS}.whl`;

/** A zip whose every second file is compressed. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  Object.entries(files).forEach(([name, text], i) => {
    const data = i % 2 === 0 ? Buffer.from(text) : deflateRawSync(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(4, 28);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50);
    central.writeUInt16LE(i % 2 === 0 ? 0 : 8, 10);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(offset, 42);
    parts.push(local, Buffer.from(name), Buffer.alloc(4), data);
    directory.push(central, Buffer.from(name));
    offset += 34 + name.length + data.length;
  });
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

const WHEEL = zipOf({
  [`torch/lib/${LIBRARY}`]: "library",
  "torch/include/ATen/ATen.h": "header ".repeat(1000),
  "torch/version.py": "__version__ = '2.13.0+cpu'",
  "torch/nn/linear.py": "not needed",
  "torch/lib/": "",
});
const SHA256 = createHash("sha256").update(WHEEL).digest("hex");

/** An index with one wheel, for as long as `use` takes. */
async function withIndex(wheel: Buffer, sha256: string, use: (index: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    if (request.url === "/cpu/torch/") {
      response.end(`<a href="/files/${encodeURIComponent(NAME)}#sha256=${sha256}" data-x="1">${NAME}</a>`);
    } else if (request.url?.startsWith("/files/")) response.end(wheel);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/cpu`);
  } finally {
    server.close();
  }
}

async function jobWith(settings: Partial<InstallJob> = {}): Promise<InstallJob> {
  return { version: "2.13.0", cuda: false, env: {}, folder: await temporaryFolder(), onProgress() {}, ...settings };
}

it("downloads, checks and unpacks what C++ needs", async () => {
  await withIndex(WHEEL, SHA256, async (index) => {
    const steps: InstallProgress[] = [];
    const job = await jobWith({ onProgress: (step) => steps.push(step) });
    expect(await installFromArchive(job, index)).toEqual([{ name: NAME, sha256: SHA256 }]);
    expect(await readFile(join(job.folder, "torch/lib", LIBRARY), "utf8")).toBe("library");
    expect(await readFile(join(job.folder, "torch/include/ATen/ATen.h"), "utf8")).toHaveLength(7000);
    expect(existsSync(join(job.folder, "torch/nn"))).toBe(false);
    expect(existsSync(join(job.folder, "wheel"))).toBe(false);
    const { length } = WHEEL;
    expect(steps.at(-2)).toEqual({ stage: "download", done: length, total: length, what: NAME });
  });
});

it("refuses files that are not what the index says, or damaged, or absent", async () => {
  await withIndex(WHEEL, "0".repeat(64), async (index) => {
    await expect(installFromArchive(await jobWith(), index)).rejects.toMatchObject({ code: "libtorch.checksum" });
    const other = jobWith({ version: "2.12.0" });
    await expect(installFromArchive(await other, index)).rejects.toThrow("There is no torch 2.12.0 for");
    await expect(installFromArchive(await jobWith(), `${index}/nowhere`)).rejects.toThrow("The server answers 404");
  });
  const cut = WHEEL.subarray(0, -30);
  await withIndex(cut, createHash("sha256").update(cut).digest("hex"), async (index) => {
    await expect(installFromArchive(await jobWith(), index)).rejects.toThrow("The archive cannot be unpacked");
  });
  await expect(installFromArchive(await jobWith(), "http://127.0.0.1:1")).rejects.toThrow("cannot be reached");
});

it("refuses names that lead out of the folder", async () => {
  const evil = zipOf({ "torch/lib/../../../evil": "x" });
  await withIndex(evil, createHash("sha256").update(evil).digest("hex"), async (index) => {
    await expect(installFromArchive(await jobWith(), index)).rejects.toThrow("it names a file torch/lib/../../../evil");
  });
});

it("chooses by version and platform", () => {
  const wheel = (name: string): ListedWheel => ({ name, url: "", sha256: "" });
  const wheels = [
    "torch-2.13.0+cpu-cp313-cp313-win_amd64.whl",
    "torch-2.13.0-cp311-none-macosx_11_0_arm64.whl",
    "torch-2.13.0+cpu-cp310-cp310-manylinux_2_28_aarch64.whl",
    "torch-2.13.0+cpu-cp310-cp310-linux_x86_64.whl",
    "torch-2.6.0+cpu-cp39-cp39-manylinux1_x86_64.whl",
  ].map(wheel);
  const chosen = (version: string, platform: string): string | undefined =>
    chooseWheel(wheels, version, platform)?.name;
  expect(chosen("2.13.0", "linux x64")).toBe("torch-2.13.0+cpu-cp310-cp310-linux_x86_64.whl");
  expect(chosen("2.13.0", "linux arm64")).toBe("torch-2.13.0+cpu-cp310-cp310-manylinux_2_28_aarch64.whl");
  expect(chosen("2.13.0", "darwin arm64")).toBe("torch-2.13.0-cp311-none-macosx_11_0_arm64.whl");
  expect(chosen("2.6.0", "linux x64")).toBe("torch-2.6.0+cpu-cp39-cp39-manylinux1_x86_64.whl");
  expect(chosen("2.6.0", "sunos sparc")).toBeUndefined();
});
