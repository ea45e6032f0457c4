import { rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../install/environment.ts";
import type { LoadedAddon } from "../install/load-addon.ts";
import type { LibtorchOptions } from "../options.ts";
import { KeptWeights } from "./kept-weights.ts";

const MAX_BYTES = 8e9;

/** Opens the folder that the option `cache` names; undefined where nothing is to be kept. */
export async function openKeptWeights(
  cache: LibtorchOptions["cache"],
  { addon, file }: Pick<LoadedAddon, "addon" | "file">,
): Promise<KeptWeights | undefined> {
  if (cache === undefined || cache === false) return undefined;
  const { folder = keptFolder(), maxBytes = MAX_BYTES } = cache === true ? {} : cache;
  return await KeptWeights.create(addon, file, { folder, maxBytes });
}

/** Removes all packed weights that were kept in the default folder, and returns its path. */
export async function clearKeptWeights(): Promise<string> {
  const folder = keptFolder();
  await rm(folder, { recursive: true, force: true });
  return folder;
}

function keptFolder(): string {
  return join(cacheFolder(), "weights");
}
