// What a file says about ops of op packages. It is loaded only for programs with such ops.
import { type Archive, Pt2Error } from "@pt2/format";
import { type CustomOp, type Program, stats } from "@pt2/graph";
import { type OpRegistry, printSchema } from "@pt2/registry";
import { runtimeError } from "./runtime-errors.ts";

/**
 * The extra file of an archive that says which packages have its ops. A model is saved with it by
 * `torch.export.save(…, extra_files={"custom_ops.json": …})`; it is an object by op with `schema`, `package` and
 * `version`, as `customOps` of a JSON program.
 */
const EXTRA_FILE = "custom_ops.json";

type CustomOps = ReadonlyMap<string, CustomOp>;

/** Reads what an archive says about the ops of packages; null where it says nothing. */
export async function readCustomOps(archive: Archive): Promise<CustomOps | null> {
  if (!archive.extraFiles.includes(EXTRA_FILE)) return null;
  const text = await archive.readExtraFile(EXTRA_FILE);
  const list = parsed(text);
  if (isObject(list) && Object.values(list).every(isCustomOp)) return new Map(Object.entries(list as CustomOpList));
  throw runtimeError("runtime.custom-ops", {
    what: "The list of custom ops in the file cannot be read",
    where: `extra/${EXTRA_FILE}`,
    advice: 'save it as JSON: { "ns::op": { "schema": "…", "package": "…", "version": "…" } }',
  });
}

type CustomOpList = Readonly<Record<string, CustomOp>>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCustomOp(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { schema, package: name, version } = value;
  return typeof schema === "string" && typeof name === "string" && (version === null || typeof version === "string");
}

/** Adds the packages that have the missing ops to an error about ops that cannot run; returns others as they are. */
export function withPackages(problem: unknown, customOps: CustomOps | null): unknown {
  if (!(problem instanceof Pt2Error) || problem.code !== "runtime.unsupported-ops" || customOps === null)
    return problem;
  const missing = (problem.details as { readonly unsupported?: readonly { readonly op: string }[] }).unsupported ?? [];
  const needed = missing.flatMap(({ op }) => customOps.get(op) ?? []);
  if (needed.length === 0) return problem;
  const packages = [...new Set(needed.map(({ package: name, version }) => (version ? `${name}@${version}` : name)))];
  const { what, where, advice, details } = problem;
  return new Pt2Error(problem.code, {
    what,
    where,
    advice: `\`npm install ${packages.join(" ")}\` and give its op set to load() as \`ops\`: the file names it for ${needed.length === missing.length ? "these ops" : "some of these ops"}; or ${advice}`,
    details: { ...details, packages },
    cause: problem.cause,
  });
}

/** Throws for an op whose schema is another one than the program was saved with. */
export function requireSchemas({ graph }: Program, registry: OpRegistry, customOps: CustomOps): void {
  for (const { op } of stats(graph)) {
    const saved = customOps.get(op);
    const record = registry.userSetOf(op) === undefined ? undefined : registry.resolve(op);
    if (saved === undefined || record === undefined) continue;
    const schema = printSchema(record.schema);
    if (schema === saved.schema) continue;
    throw runtimeError("runtime.custom-ops", {
      what: `Op set "${registry.userSetOf(op)}" defines ${schema}, but the program was saved with ${saved.schema}`,
      where: op,
      advice: `install the version that it was saved with: ${saved.package}${saved.version === null ? "" : `@${saved.version}`}`,
      details: { op, schema, saved },
    });
  }
}
