import { mkdtemp, open, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { floats, weightOf } from "@pt2/conformance";
import type { WeightTensor } from "@pt2/format";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import type { LibtorchExecutable } from "../executable.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { compileBody, elementsOf } from "../programs.test-helper.ts";
import { makeRoom } from "./make-room.ts";
import { openKeptWeights } from "./open-kept-weights.ts";

/** A disk that is full, for as long as a test says so. */
const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args);
      if (disk.isFull) handle.write = async () => Promise.reject(new Error("ENOSPC: no space left on device"));
      return handle;
    },
  };
});

/** A packed weight, and one that stays a view of its weight, which no file can keep. */
const BODY = `
  parameter "w" = %w: f32[8, 16]
  parameter "m" = %m: f32[8, 4]
  user_input %x: f32[4, 16]
  %y: f32[4, 8] = aten::linear(input=%x, weight=%w)
  %t: f32[4, 8] = aten::t(%m)
  %z: f32[4, 8] = aten::add.Tensor(%y, other=%t)
  return %z`;
const x = floats([4, 16], ...Array.from({ length: 64 }, (_, i) => (i % 7) - 3));
const values = (scale: number, count: number): number[] => Array.from({ length: count }, (_, i) => (i % 11) * scale);

describeWithLibtorch("weights that are kept", (native) => {
  let root: string;
  let folder: string;
  let count = 0;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "pt2-kept-"));
  });
  beforeEach(() => {
    folder = join(root, String(count++), "weights");
  });
  afterAll(() => rm(root, { recursive: true }));

  /** A weight in a file of its own, as an archive states it. */
  async function inFile(name: string, shape: readonly number[], scale: number): Promise<WeightTensor> {
    const tensor = floats(shape, ...values(scale, shape[0]! * shape[1]!));
    const path = join(root, `${count}-${name}`);
    await writeFile(path, tensor.bytes);
    const weight = weightOf(name, tensor);
    const storage: WeightTensor["storage"] = {
      ...weight.storage,
      crc32: crc32(tensor.bytes),
      locate: async () => ({ kind: "file", path, start: 0 }),
      read: async () => new Uint8Array(await readFile(path)),
    };
    return { ...weight, storage };
  }

  const weights = async (scale = 1): Promise<Record<string, WeightTensor>> => ({
    w: await inFile("w", [8, 16], scale),
    m: await inFile("m", [8, 4], 1),
  });

  /** What the program computes with weights of a scale, without anything that was kept. */
  async function expected(scale = 1): Promise<unknown> {
    const backend = new LibtorchBackend(native.addon);
    const given = { w: floats([8, 16], ...values(scale, 128)), m: floats([8, 4], ...values(1, 32)) };
    return elementsOf((await (await compileBody(backend, BODY, given)).run([x]))[0]);
  }

  /** Loads the program; returns its results, and what `explain` says of what was kept. */
  async function load(
    given: Record<string, WeightTensor>,
    options: { readonly folder?: string; readonly maxBytes?: number } = {},
  ): Promise<{ readonly results: unknown; readonly note: string }> {
    const kept = await openKeptWeights({ folder, ...options }, native);
    const executable: LibtorchExecutable = await compileBody(new LibtorchBackend(native.addon, {}, kept), BODY, given);
    const results = elementsOf((await executable.run([x]))[0]);
    const note = (await executable.explain()).split("\n").find((line) => line.startsWith("# packed weights"))!;
    await executable.dispose();
    return { results, note: note.slice("# packed weights ".length).replaceAll(folder, "FOLDER") };
  }

  const entry = async (): Promise<string> => join(folder, (await readdir(folder))[0]!);

  it("nothing is written unless that is asked for", async () => {
    expect(await openKeptWeights(undefined, native)).toBeUndefined();
    expect(await openKeptWeights(false, native)).toBeUndefined();
  });

  it("a later load takes what the first one kept", async () => {
    const given = await weights();
    const first = await load(given);
    expect(first.note).toMatch(/^are kept in FOLDER/);
    const second = await load(given);
    expect(second.note).toMatch(/^are those of FOLDER/);
    expect([first.results, second.results]).toEqual([await expected(), await expected()]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it.each([
    ["is cut short", async (file: string) => truncate(file, (await stat(file)).size - 1)],
    ["is empty", (file: string) => truncate(file, 0)],
    ["has another byte among its tensors", (file: string) => change(file, 100)],
    ["has another byte in what it says of itself", async (file: string) => change(file, (await stat(file)).size - 140)],
    ["is of another version", async (file: string) => change(file, (await stat(file)).size - 128 + 17)],
  ])("a file that %s is made anew", async (_, damage) => {
    const given = await weights();
    await load(given);
    await damage(await entry());
    const again = await load(given);
    expect(again.note).toMatch(/^are kept in FOLDER/);
    expect((await load(given)).note).toMatch(/^are those of FOLDER/);
    expect(again.results).toEqual(await expected());
  });

  it("another file of weights is another entry, also where one was renamed", async () => {
    const first = await load(await weights(1));
    const one = await entry();
    const other = await load(await weights(2));
    expect(other.note).toMatch(/^are kept in FOLDER/);
    expect([first.results, other.results]).toEqual([await expected(1), await expected(2)]);
    const two = join(folder, (await readdir(folder)).find((name) => !one.endsWith(name))!);
    await writeFile(two, await readFile(one));
    expect((await load(await weights(2))).results).toEqual(await expected(2));
  });

  it("a file that was changed in place, and not its checksums, is read again and not kept", async () => {
    const given = await weights(1);
    await load(given);
    const path = join(root, `${count}-w`);
    await writeFile(path, floats([128], ...values(2, 128)).bytes);
    await utimes(path, 1, 1);
    const again = await load(given);
    expect(again.note).toBe("are not kept: the archive's checksums are not those of its bytes");
    expect(again.results).toEqual(await expected(2));
  });

  it("loads at the same time leave one whole file", async () => {
    const given = await weights();
    const all = await Promise.all(Array.from({ length: 4 }, () => load(given)));
    for (const { results } of all) expect(results).toEqual(await expected());
    expect(await readdir(folder)).toHaveLength(1);
    expect((await load(given)).note).toMatch(/^are those of FOLDER/);
  });

  it("a folder that cannot be made fails no load", async () => {
    await writeFile(join(root, "file"), "");
    const { results, note } = await load(await weights(), { folder: join(root, "file", "weights") });
    expect(note).toMatch(/^are not kept: ENOTDIR|^are not kept: EEXIST|^are not kept: ENOENT/);
    expect(results).toEqual(await expected());
  });

  it("a full disk fails no load, and leaves nothing behind", async () => {
    disk.isFull = true;
    const { results, note } = await load(await weights()).finally(() => {
      disk.isFull = false;
    });
    expect(note).toBe("are not kept: ENOSPC: no space left on device");
    expect(results).toEqual(await expected());
    expect(await readdir(folder)).toEqual([]);
  });

  it("what takes more than all may take is not kept, nor are weights of no file", async () => {
    expect((await load(await weights(), { maxBytes: 10 })).note).toMatch(/^are not kept: they take \d+ bytes/);
    const memory = {
      w: weightOf("w", floats([8, 16], ...values(1, 128))),
      m: weightOf("m", floats([8, 4], ...values(1, 32))),
    };
    expect((await load(memory)).note).toMatch(/^are not kept: weights are not those of an archive/);
  });

  it("what was used last stays, and what was never finished goes after an hour", async () => {
    const now = Date.now() / 1000;
    const files = {
      "a.weights": 30,
      "b.weights": 10,
      "c.weights": 20,
      "d.weights.0-1.part": 7200,
      "e.weights.0-1.part": 1,
    };
    const room = await mkdtemp(join(root, "room-"));
    for (const [name, age] of Object.entries(files)) {
      await writeFile(join(room, name), Buffer.alloc(100));
      await utimes(join(room, name), now - age, now - age);
    }
    await writeFile(join(room, "notes.txt"), "not ours");
    await makeRoom(room, 200);
    expect((await readdir(room)).sort()).toEqual(["b.weights", "c.weights", "e.weights.0-1.part", "notes.txt"]);
  });
});

/** Flips a bit of one byte. */
async function change(file: string, at: number): Promise<void> {
  const handle = await open(file, "r+");
  const byte = new Uint8Array(1);
  await handle.read(byte, 0, 1, at);
  byte[0]! ^= 4;
  await handle.write(byte, 0, 1, at);
  await handle.close();
}
