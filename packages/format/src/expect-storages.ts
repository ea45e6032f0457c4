import type { FarStorages, Storage } from "./weight-tensor.ts";

/**
 * Says that storages will be read soon, so that what is far away comes in a few long requests instead of one for each.
 * Returns how to say that no more of them will be read; call it however the reading ends.
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
