import type { Backend } from "@pt2/backend";
import { type CustomOp, type Program, stats } from "@pt2/graph";
import { createRegistry, type OpHandler, type OpRegistry, type OpSet, printSchema } from "@pt2/registry";
import { atenOnDemand } from "@pt2/registry/on-demand";
import { cliError } from "./cli-errors.ts";
import type { OptionSpec } from "./command-syntax.ts";
import { importModule } from "./import-module.ts";
import type { Options } from "./options.ts";

/** The option for the user's ops, in commands that load a program. */
export const OPS_OPTION: OptionSpec = {
  name: "ops",
  value: "MODULE",
  multiple: true,
  help: "a JavaScript module or an installed package, which exports `ops` or `handlers` as load() takes them",
};

/** The user's ops and handlers, as `load` takes them. */
export interface UserOps {
  readonly ops: readonly OpSet[];
  readonly handlers: readonly OpHandler[];
}

/** Returns what the configuration has, and then what the modules have that the command line names. */
export async function userOps(options: Options): Promise<UserOps> {
  const { ops = [], handlers = [] } = options.config;
  const modules = [{ ops, handlers }, ...(await Promise.all(options.texts("ops").map(importOps)))];
  return { ops: modules.flatMap(({ ops }) => ops), handlers: modules.flatMap(({ handlers }) => handlers) };
}

/** Creates the registry that `load` would create of them. */
export function registryWith({ ops, handlers }: UserOps): OpRegistry {
  return createRegistry({ sets: [...atenOnDemand, ...ops], handlers });
}

/** Adds the packages and schemas of those of its ops that the user's op sets define to a program. */
export async function withCustomOps(program: Program, own: UserOps): Promise<Program> {
  if (own.ops.length === 0) return program;
  const registry = registryWith(own);
  const names = stats(program.graph).map(({ op }) => op);
  await registry.load(names);
  const customOps = names.flatMap((op): readonly (readonly [string, CustomOp])[] => {
    const name = registry.userSetOf(op);
    const record = name === undefined ? undefined : registry.resolve(op);
    if (name === undefined || record === undefined) return [];
    const version = own.ops.findLast((set) => set.name === name)?.version ?? null;
    return [[op, { schema: printSchema(record.schema), package: name, version }]];
  });
  return { ...program, customOps: new Map([...(program.customOps ?? []), ...customOps]) };
}

/**
 * Returns the registry of a reference: with the handlers of the user only for ops that its backend cannot run without,
 * so that a handler is compared with what it replaces.
 */
export async function referenceRegistry(
  { ops, handlers }: UserOps,
  reference: Backend,
  program: Program,
): Promise<OpRegistry> {
  const plain = registryWith({ ops, handlers: [] });
  await plain.load(stats(program.graph).map(({ op }) => op));
  const missing = await reference.unsupported(program, plain);
  const needed = handlers.filter((handler) => {
    const { isClaimed } = registryWith({ ops, handlers: [handler] });
    return missing.some(({ op }) => isClaimed(op));
  });
  return needed.length === 0 ? plain : registryWith({ ops, handlers: needed });
}

async function importOps(name: string): Promise<UserOps> {
  const module = await importModule(name, "cli.ops");
  const fallback = isObject(module.default) ? module.default : {};
  const [ops, handlers] = [module.ops ?? fallback.ops ?? [], module.handlers ?? fallback.handlers ?? []];
  if (isList(ops) && isList(handlers) && ops.length + handlers.length > 0) {
    return { ops: ops as readonly OpSet[], handlers: handlers as readonly OpHandler[] };
  }
  const exported = Object.keys(module).sort().join(", ") || "nothing";
  throw cliError("cli.ops", {
    what: `The module exports neither op sets nor handlers, but ${exported}`,
    where: name,
    advice:
      "export them as the lists that load() takes: `export const ops = [mySet]`, `export const handlers = [myHandler]`",
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every(isObject);
}
