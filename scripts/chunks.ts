// Which sources of a package go into one file: those that are loaded at the same times.
import { askersOf, type Ids, loadsOf, reachOf, type Sources } from "./loads.ts";

/** What is to be one file. */
export interface Chunk {
  readonly name: string;
  readonly sources: ReadonlySet<string>;
}

interface Group {
  /** What begins a load of these sources: entry points, and what is imported on demand. */
  readonly roots: Ids;
  readonly sources: Ids;
  readonly bytes: number;
  /** What it brings along: Node, or what is loaded on demand. It is not joined with what brings other things. */
  readonly brings: string;
}

/**
 * Sources in chunks, each with those that the same roots load; a chunk comes after those that it imports. What is
 * always there before a root is loaded is no concern of that root. A chunk of fewer than `least` bytes is joined with
 * another that shares a root with it, so that roots load least in vain. What only one root imports is in no chunk: every
 * bundler puts it into the root's own file.
 */
export function chunksOf(sources: Sources, entries: readonly string[], least: number): readonly Chunk[] {
  const askers = askersOf(sources, entries);
  const reached = new Map([...askers.keys()].map((root) => [root, reachOf(sources, root)]));
  const entryIds = new Set(entries);
  const groups = joined(groupsOf(sources, loadsOf(sources, askers, reached), entryIds), entryIds, least);
  const isShared = (id: string): boolean => [...reached.values()].filter((ids) => ids.has(id)).length > 1;
  return ordered(groups, sources)
    .filter((group) => [...group.sources].some(isShared))
    .map((group) => {
      const [root, ...others] = [...group.roots].filter((id) => group.roots.size === 1 || !entries.includes(id));
      const name = root === undefined || others.length > 0 ? "shared" : nameOf(root);
      return { name, sources: new Set([...group.sources].filter((id) => isShared(id) || !entries.includes(id))) };
    });
}

/** The name of a source's file, or of its folder where that is called `index`. */
function nameOf(id: string): string {
  const [folder, name] = id
    .replace(/\.\w+$/, "")
    .split(/[\\/]/)
    .slice(-2) as [string, string];
  return name === "index" ? folder : name;
}

function groupsOf(sources: Sources, loads: ReadonlyMap<string, Ids>, entries: Ids): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const [id, { bytes }] of sources) {
    const roots = new Set([...loads].flatMap(([root, loaded]) => (loaded.has(id) ? [root] : [])));
    const ofEntry = [...roots].some((root) => entries.has(root));
    const group = { roots, sources: new Set([id]), bytes, brings: broughtBy(sources, id, ofEntry) };
    const key = [group.brings, ...roots].join("\n");
    const known = groups.get(key);
    groups.set(key, known === undefined ? group : join(known, group));
  }
  return [...groups.values()];
}

/** A worker may have to be one file: what it shares imports nothing on demand, nor does what browsers share need Node. */
function broughtBy(sources: Sources, id: string, ofEntry: boolean): string {
  const all = (each: string): readonly string[] => [...sources.get(each)!.imports, ...sources.get(each)!.onDemand];
  if ([...reachOf(sources, id, all)].some((each) => all(each).some(isNode))) return "node";
  const onDemand = [...reachOf(sources, id)].some((each) => sources.get(each)!.onDemand.length > 0);
  return ofEntry && onDemand ? "on demand" : "";
}

function isNode(id: string): boolean {
  return /^node:|\/node$/.test(id);
}

function joined(given: readonly Group[], entries: Ids, least: number): readonly Group[] {
  const open = given.filter(({ roots, bytes }) => roots.size > 1 && bytes < least);
  const groups = new Set(given);
  for (let small = smallest(open); small !== undefined; small = smallest(open)) {
    open.splice(open.indexOf(small), 1);
    const home = homeOf(small, [...groups], entries);
    if (home === undefined) continue;
    const union = join(home, small);
    for (const part of [small, home]) groups.delete(part);
    groups.add(union);
    if (open.includes(home)) open.splice(open.indexOf(home), 1);
    if (union.bytes < least) open.push(union);
  }
  return [...groups];
}

function smallest(groups: readonly Group[]): Group | undefined {
  return [...groups].sort((a, b) => a.bytes - b.bytes)[0];
}

/**
 * The group that a small one is joined with. What entry points load does not grow by what is loaded on demand, nor by
 * what other entry points load, which may import other packages.
 */
function homeOf(small: Group, groups: readonly Group[], entries: Ids): Group | undefined {
  const isOnDemand = ({ roots }: Group): boolean => [...roots].every((root) => !entries.has(root));
  const fits = (other: Group): boolean => {
    if ([...other.roots].some((root) => entries.has(root) && !small.roots.has(root))) return false;
    const missing = without(small.roots, other.roots);
    const shares = other.roots.size > 1 && missing < small.roots.size;
    return missing === 0 || (shares && isOnDemand(small) && isOnDemand(other));
  };
  const inVain = ({ roots, bytes }: Group): number =>
    small.bytes * without(roots, small.roots) + bytes * without(small.roots, roots);
  return groups
    .filter((other) => other !== small && other.brings === small.brings && fits(other))
    .sort((a, b) => inVain(a) - inVain(b))[0];
}

/** How many of the first set are not in the second. */
function without(all: Ids, some: Ids): number {
  return [...all].filter((id) => !some.has(id)).length;
}

function join(a: Group, b: Group): Group {
  return {
    roots: new Set([...a.roots, ...b.roots]),
    sources: new Set([...a.sources, ...b.sources]),
    bytes: a.bytes + b.bytes,
    brings: a.brings,
  };
}

/** Each group after those that it imports. */
function ordered(groups: readonly Group[], sources: Sources): readonly Group[] {
  const groupOf = new Map(groups.flatMap((group) => [...group.sources].map((id) => [id, group] as const)));
  const done = new Set<Group>();
  const begun = new Set<Group>();
  const visit = (group: Group): void => {
    if (begun.has(group)) return;
    begun.add(group);
    for (const id of group.sources) {
      for (const next of sources.get(id)!.imports) if (groupOf.has(next)) visit(groupOf.get(next)!);
    }
    done.add(group);
  };
  groups.forEach(visit);
  return [...done];
}
