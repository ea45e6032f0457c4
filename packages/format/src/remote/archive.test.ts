import { expect, it } from "vitest";
import { type ByteSource, fromBytes } from "../byte-source.ts";
import { fixture } from "../fixtures.test-helper.ts";
import { openArchive } from "../open-archive.ts";
import { fromUrl } from "../source-url.ts";
import { readTensor } from "../tensor-data.ts";
import { ZipFile } from "../zip/zip-file.ts";
import { ZipWriter } from "../zip/zip-writer.ts";
import { fakeServer } from "./fake-server.test-helper.ts";

const FILLER = new Uint8Array(700_000);

/**
 * A fixture with much that is never read between its larger entries, so that no two of them come together by chance.
 * The smallest ones lie together at the end, as PyTorch's do.
 */
async function spread(name: string): Promise<Uint8Array> {
  const zip = (await ZipFile.open(fromBytes(fixture(name)), true))!;
  const chunks: Uint8Array[] = [];
  const writer = new ZipWriter((chunk) => void chunks.push(chunk));
  for (const entry of zip.entries.values()) {
    await writer.add(entry.name, await zip.read(entry));
    if (entry.size > 64) await writer.add(`${entry.name.split("/")[0]}/extra/${entry.name}`, FILLER);
  }
  await writer.finish();
  return new Uint8Array(Buffer.concat(chunks));
}

/** `fetch` that answers in rounds: whatever is asked before it answers is one round. */
function inRounds(fetch: typeof globalThis.fetch): { readonly fetch: typeof globalThis.fetch; rounds(): number } {
  let rounds = 0;
  let round: Promise<void> | undefined;
  const wait = (): Promise<void> => {
    round ??= new Promise((resolve) => {
      rounds++;
      // Long after everything that follows from the answers before has been said.
      setTimeout(() => {
        round = undefined;
        resolve();
      }, 50);
    });
    return round;
  };
  const slow = async (...args: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    await wait();
    return await fetch(...args);
  };
  return { fetch: slow as typeof globalThis.fetch, rounds: () => rounds };
}

/** Returns the contents of an archive, read as a load does. */
async function contentsOf(source: ByteSource): Promise<ReadonlyMap<string, unknown>> {
  const archive = await openArchive(source);
  const weights = await archive.weights();
  const storages = [...weights.values()].map(({ storage }) => storage);
  for (const far of new Set(storages.map((storage) => storage.far))) {
    far?.expect(storages.filter((storage) => storage.far === far).map(({ id }) => id));
  }
  const read = [...weights].map(async ([name, weight]) => [name, await readTensor(weight)] as const);
  const contents = new Map(await Promise.all(read));
  await archive.close();
  return contents;
}

it.each([
  ["torch-2.6/conv.pt2", 5],
  ["torch-2.8/conv.pt2", 5],
  ["torch-2.13/conv.pt2", 4],
])("%s, with its entries far apart, is read in a few round trips", async (name, most) => {
  const file = await spread(name);
  const server = fakeServer(file);
  const { fetch, rounds } = inRounds(server.fetch);
  const contents = await contentsOf(await fromUrl("https://models.test/model.pt2", { fetch }));
  expect(contents).toEqual(await contentsOf(fromBytes(file)));
  expect(rounds()).toBeLessThanOrEqual(most);
  expect(server.sent()).toBeLessThan(file.byteLength / 4);
});
