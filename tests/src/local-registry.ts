import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { command } from "./installed-project.ts";

/** A registry of npm packages that runs. */
export interface LocalRegistry {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the tarballs of a folder as a registry, which knows no other package: what is installed from it is what the
 * manifests ask for.
 */
export async function serveRegistry(tarballs: string): Promise<LocalRegistry> {
  const files = readdirSync(tarballs).filter((file) => file.endsWith(".tgz"));
  const manifests = await Promise.all(
    files.map(async (file) => {
      const text = await command("tar", ["-xzOf", file, "package/package.json"], tarballs);
      return { file, manifest: JSON.parse(text) as { readonly name: string; readonly version: string } };
    }),
  );
  const server = createServer(async ({ url = "" }, response) => {
    const asked = decodeURIComponent(url.slice(1));
    const found = manifests.find(({ file, manifest }) => file === asked || manifest.name === asked);
    if (found === undefined) return response.writeHead(404).end();
    const { file, manifest } = found;
    if (file === asked) return response.end(await readFile(join(tarballs, file)));
    const { name, version } = manifest;
    const dist = { tarball: `${addressOf()}/${file}` };
    response.end(
      JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } }),
    );
  });
  const addressOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: addressOf(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
