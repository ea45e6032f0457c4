import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

const BASE = await mkdtemp(join(tmpdir(), "pt2-libtorch-"));
afterAll(() => rm(BASE, { recursive: true, force: true }));

/** A new folder for one test; goes away when the test file is done. */
export async function temporaryFolder(): Promise<string> {
  return await mkdtemp(join(BASE, "test-"));
}

/** Writes files below a folder. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** The library that makes a folder a libtorch here. */
export const LIBRARY: string = process.platform === "darwin" ? "libtorch_cpu.dylib" : "libtorch_cpu.so";

/** The files of a folder that looks like a libtorch. */
export function libtorchFiles(version = "2.13.0+cpu"): Readonly<Record<string, string>> {
  return {
    "include/ATen/ATen.h": "",
    [`lib/${LIBRARY}`]: "",
    "version.py": `from typing import Optional\n__version__ = '${version}'\ncuda: Optional[str] = None\n`,
  };
}

/** Makes a folder that looks like a libtorch. */
export async function fakeLibtorch(version?: string): Promise<string> {
  const folder = join(await temporaryFolder(), "torch");
  await writeFiles(folder, libtorchFiles(version));
  return folder;
}

/** Makes a command that is a shell script; gives the folder it is in. */
export async function fakeCommand(name: string, script: string, folder?: string): Promise<string> {
  const place = folder ?? (await temporaryFolder());
  await writeFiles(place, { [name]: `#!/bin/sh\n${script}\n` });
  await chmod(join(place, name), 0o755);
  return place;
}
