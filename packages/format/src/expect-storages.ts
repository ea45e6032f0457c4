import type { FarStorages, Storage } from "./weight-tensor.ts";

/**
 * Announces storages that will be read soon, so that a few long requests fetch what is remote. Returns a function that
 * ends the announcement; call it even when a read fails.
 */
export function expectStorages(storages: Iterable<Storage>, signal?: AbortSignal): () => void {
  const groups = new Map<FarStorages, string[]>();
  for (const { far, id } of storages) {
    if (far === undefined) continue;
    const ids = groups.get(far) ?? [];
    ids.push(id);
    groups.set(far, ids);
  }
  const ends = [...groups].map(([far, ids]) => far.expect(ids, { signal }));
  return () => {
    for (const end of ends) end();
  };
}
