import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { installError } from "./install-errors.ts";
import type { InstalledFile, InstallJob } from "./install-job.ts";
import { CPU_INDEX } from "./pip.ts";
import { unzip } from "./unzip.ts";

/** A wheel as an index lists it. */
export interface ListedWheel {
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
}

const PLATFORM: Readonly<Record<string, RegExp>> = {
  "linux x64": /(?:linux|manylinux\w*)_x86_64$/,
  "linux arm64": /(?:linux|manylinux\w*)_aarch64$/,
  "darwin arm64": /macosx_\w+_arm64$/,
};
const KEPT = /^(?:torch\/(?:lib|include)\/|torch\/version\.py$|torch\.libs\/|torch-[^/]+\.dist-info\/)/;

/**
 * Installs without a Python: the wheel of the official index, which is the archive of libtorch with a checksum. It has
 * no CUDA libraries, so there is no CUDA build this way.
 */
export async function installFromArchive(
  job: InstallJob,
  index: string = CPU_INDEX,
): Promise<readonly InstalledFile[]> {
  if (job.cuda) throw failed("The CUDA build is installed through pip", undefined, "install Python 3 with pip first");
  const page = `${index}/torch/`;
  const wheel = chooseWheel(await listWheels(page), job.version);
  if (wheel === undefined) {
    const platform = `${process.platform} ${process.arch}`;
    throw failed(`There is no torch ${job.version} for ${platform}`, page, "try another --version, or use pip");
  }
  const file = join(job.folder, "wheel");
  await download(wheel, file, job.onProgress);
  job.onProgress({ stage: "unpack", done: 0, total: 0, what: wheel.name });
  await unzip(file, job.folder, (name) => KEPT.test(name));
  await rm(file);
  return [{ name: wheel.name, sha256: wheel.sha256 }];
}

/** Picks the wheel of a version for a platform. The Python for which it was made does not matter. */
export function chooseWheel(
  wheels: readonly ListedWheel[],
  version: string,
  platform = `${process.platform} ${process.arch}`,
): ListedWheel | undefined {
  return wheels.find(({ name }) => {
    const [, listed, tags] = /^torch-([^-]+)-[^-]+-[^-]+-([^-]+)\.whl$/.exec(name) ?? [];
    return listed?.split("+")[0] === version && PLATFORM[platform]?.test(tags ?? "") === true;
  });
}

async function listWheels(page: string): Promise<readonly ListedWheel[]> {
  const html = await (await get(page)).text();
  return [...html.matchAll(/href="([^"#]+)#sha256=([0-9a-f]{64})"/g)].map(([, href, sha256]) => {
    const url = new URL(href!, page).href;
    return { name: decodeURIComponent(url.split("/").at(-1)!), url, sha256: sha256! };
  });
}

async function download({ name, url, sha256 }: ListedWheel, file: string, onProgress: InstallJob["onProgress"]) {
  const response = await get(url);
  const total = Number(response.headers.get("content-length") ?? 0);
  const hash = createHash("sha256");
  let done = 0;
  const watch = new Transform({
    transform(chunk: Buffer, _, next) {
      hash.update(chunk);
      done += chunk.length;
      onProgress({ stage: "download", done, total, what: name });
      next(null, chunk);
    },
  });
  const body = Readable.fromWeb(response.body as ReadableStream);
  await pipeline(body, watch, createWriteStream(file)).catch((cause: unknown) => {
    throw failed(`The download broke off after ${done} bytes`, url, "try again", cause);
  });
  const actual = hash.digest("hex");
  if (actual === sha256) return;
  throw installError("libtorch.checksum", {
    what: `The file is damaged or was replaced: its SHA-256 is ${actual}, the index says ${sha256}`,
    where: url,
    advice: "try again; if the error persists, a proxy between this machine and the server probably changes files",
  });
}

async function get(url: string): Promise<Response> {
  const advice = "is there a network, or a proxy in between? With Python and pip their settings are used instead";
  const response = await fetch(url).catch((cause: unknown) => {
    throw failed("The server cannot be reached", url, advice, cause);
  });
  if (!response.ok) throw failed(`The server answers ${response.status}`, url, advice);
  return response;
}

function failed(what: string, where: string | undefined, advice: string, cause?: unknown): Error {
  return installError("libtorch.install-failed", { what, where, advice, cause });
}
