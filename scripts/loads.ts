// When a page or a program loads which sources.

/** What a bundler knows of a source. */
export interface Source {
  readonly imports: readonly string[];
  /** What it imports on demand. */
  readonly onDemand: readonly string[];
  readonly bytes: number;
}

/** Sources by their ids. */
export type Sources = ReadonlyMap<string, Source>;
export type Ids = ReadonlySet<string>;

/** Roots, each with the sources that import it on demand; an entry point needs no such source. */
export function askersOf(sources: Sources, entries: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const askers = new Map<string, readonly string[]>(entries.map((entry) => [entry, []]));
  for (const [id, { onDemand }] of sources) {
    for (const root of onDemand) {
      if (sources.has(root) && !entries.includes(root)) askers.set(root, [...(askers.get(root) ?? []), id]);
    }
  }
  return askers;
}

/** What each root loads that is not there before, of what it reaches. */
export function loadsOf(
  sources: Sources,
  askers: ReadonlyMap<string, readonly string[]>,
  reached: ReadonlyMap<string, Ids>,
): ReadonlyMap<string, Ids> {
  // From all sources down, until what is there before a root is there wherever that root is asked for.
  const before = new Map<string, Ids>(
    [...askers].map(([root, ids]) => [root, new Set(ids.length === 0 ? [] : sources.keys())]),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const [root, known] of before) {
      const from = [...reached].filter(([, ids]) => askers.get(root)!.some((id) => ids.has(id)));
      const there = [...known].filter((id) => from.every(([asker, ids]) => ids.has(id) || before.get(asker)!.has(id)));
      if (there.length === known.size) continue;
      before.set(root, new Set(there));
      changed = true;
    }
  }
  return new Map(
    [...reached].map(([root, ids]) => [root, new Set([...ids].filter((id) => !before.get(root)!.has(id)))]),
  );
}

/** What a source imports, at once unless told otherwise, itself included. */
export function reachOf(
  sources: Sources,
  root: string,
  next = (id: string): readonly string[] => sources.get(id)!.imports,
): Ids {
  const reached = new Set([root]);
  for (const id of reached) for (const each of next(id)) if (sources.has(each)) reached.add(each);
  return reached;
}
