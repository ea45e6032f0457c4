import { readFile } from "node:fs/promises";
import { fromBytes, openArchive, Pt2Error, readSafetensors, readTensor } from "@pt2/format";
import { randomBelow } from "@pt2/testing/random";
import { describe, expect, it } from "vitest";
import { fixturePath } from "../fixture.ts";

const ROUNDS = 1500;

const ARCHIVES = [
  "torch-2.6/buffers.pt2",
  "torch-2.6/trees.pt2",
  "torch-2.8/mlp.pt2",
  "torch-2.13/buffers.pt2",
  "torch-2.15/strides.pt2",
];

/** Values at which length and offset fields overflow or wrap. */
const EDGES = [0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff];

function mutate(original: Uint8Array, next: (below: number) => number): Uint8Array {
  const bytes = original.slice();
  const view = new DataView(bytes.buffer);
  const flips = 1 + next(4);
  switch (next(8)) {
    case 0: // bits
      for (let i = 0; i < flips; i++) bytes[next(bytes.length)]! ^= 1 << next(8);
      return bytes;
    case 1: // bytes
      for (let i = 0; i < flips; i++) bytes[next(bytes.length)] = next(256);
      return bytes;
    case 2: // truncate
      return bytes.subarray(0, next(bytes.length));
    case 3: {
      // Copies a part of the file over another part.
      const length = 1 + next(200);
      const from = next(bytes.length - length);
      bytes.copyWithin(next(bytes.length - length), from, from + length);
      return bytes;
    }
    case 4: // a field anywhere
      view.setUint32(next(bytes.length - 4), EDGES[next(EDGES.length)]!, true);
      return bytes;
    case 5: // a field of the directory and end records, which a uniform choice hardly meets
      view.setUint32(bytes.length - 4 - next(Math.min(1200, bytes.length - 4)), EDGES[next(EDGES.length)]!, true);
      return bytes;
    case 6: {
      // Changes opcodes, arguments and names of a pickle, often moved within it.
      const starts = pickles(bytes);
      const start = (starts[next(Math.max(1, starts.length))] ?? 0) + 2;
      const at = (): number => Math.min(bytes.length - 1, start + next(900));
      for (let i = 0; i < flips; i++) bytes[at()] = next(2) === 0 ? next(256) : bytes[at()]!;
      return bytes;
    }
    default: {
      // Changes digits and separators of JSON.
      const at = next(bytes.length);
      const digit = bytes.findIndex((byte, index) => index >= at && byte >= 0x30 && byte <= 0x39);
      if (digit >= 0) bytes[digit] = '0123456789-.eE"[]{},'.charCodeAt(next(20));
      return bytes;
    }
  }
}

/** Finds where pickles of protocol 2 begin. */
function pickles(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(0x80); at >= 0; at = bytes.indexOf(0x80, at + 1))
    if (bytes[at + 1] === 2) starts.push(at);
  return starts;
}

/** Reads everything in an archive. */
async function readAll(bytes: Uint8Array, verifyChecksums: boolean): Promise<void> {
  const archive = await openArchive(fromBytes(bytes), { verifyChecksums });
  for (const model of archive.models) {
    const program = await archive.program(model);
    for (const node of program.graphModule.graph.nodes) void node.metadata.nnModuleStack;
    for (const tensor of (await archive.weights(model)).values()) await readTensor(tensor);
    await archive.sampleInputs(model);
  }
}

/** Counts outcomes; any outcome but success and a Pt2Error is thrown with the seed that made it. */
async function attempt(run: () => Promise<unknown>, label: string): Promise<"loaded" | "refused"> {
  try {
    await run();
    return "loaded";
  } catch (error) {
    if (error instanceof Pt2Error) return "refused";
    throw new Error(`${label} ended in no Pt2Error`, { cause: error });
  }
}

describe("damaged files load or are refused with a code", () => {
  it.each(ARCHIVES)("%s", async (name) => {
    const original = new Uint8Array(await readFile(fixturePath(name)));
    const outcomes = { loaded: 0, refused: 0 };
    for (let seed = 0; seed < ROUNDS; seed++) {
      const bytes = mutate(original, randomBelow(seed));
      outcomes[await attempt(() => readAll(bytes, seed % 4 === 0), `${name}, seed ${seed}`)]++;
    }
    // Both outcomes must be frequent, or the mutations are not worth running.
    expect(outcomes.loaded).toBeGreaterThan(ROUNDS / 20);
    expect(outcomes.refused).toBeGreaterThan(ROUNDS / 4);
  });

  it("safetensors", async () => {
    const original = new Uint8Array(await readFile(fixturePath("torch-2.13/numerics.expected.safetensors")));
    for (let seed = 0; seed < ROUNDS; seed++) {
      const bytes = mutate(original, randomBelow(seed));
      await attempt(() => readSafetensors(fromBytes(bytes)), `safetensors, seed ${seed}`);
    }
  });
});
