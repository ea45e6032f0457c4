// What a function is given that it does not take is refused in the same words everywhere. It is one module, since pages need
// all of it, and bundlers would make many small files of several.
import { Pt2Error, type Pt2ErrorParts } from "./pt2-error.ts";

/**
 * The options of a function by name, each with the types that it takes as TypeScript writes them, `"a" | boolean`; also
 * `array`, `finite number`, `number from 0`, `synchronous function`, the class of an object, and `{ size, read }` for whatever has such members.
 * `unknown` is what is checked elsewhere.
 */
export type OptionTypes = Readonly<Record<string, string>>;

/**
 * Returns the options that do not exist, have an impossible value, or are missing though `required`; "" stands for
 * options that are no object. An option that is undefined is left out.
 */
export function wrongOptions(
  options: unknown,
  types: OptionTypes,
  required: readonly string[] = [],
): readonly string[] {
  if (!isOf(options, "object")) return [""];
  const given = options as Readonly<Record<string, unknown>>;
  return [...required, ...Object.keys(given)].filter((name) =>
    given[name] === undefined
      ? required.includes(name)
      : !Object.hasOwn(types, name) || !isOf(given[name], types[name]!),
  );
}

/**
 * Throws an error with this code for an option that a function, such as `zeros()`, does not have, for an impossible
 * value, and for the lack of one that is required.
 */
export function requireOptions(
  of: string,
  options: unknown,
  types: OptionTypes,
  code: string,
  ...required: readonly string[]
): void {
  const [wrong] = wrongOptions(options, types, required);
  if (wrong !== undefined) throw new Pt2Error(code, optionProblem(of, options, types, wrong));
}

/** Says what is wrong with an option that {@link wrongOptions} has found, and what the options are. */
export function optionProblem(of: string, options: unknown, types: OptionTypes, wrong: string): Pt2ErrorParts {
  const names = Object.keys(types);
  const value = wrong ? (options as Readonly<Record<string, unknown>>)[wrong] : options;
  const given = wrong ? `{ ${wrong}: ${textOf(value)} }` : textOf(value);
  const meant = names.includes(wrong) ? undefined : closestName(wrong, names);
  return {
    what:
      value === undefined && wrong
        ? `${of} needs the option \`${wrong}\``
        : `${of} does not take \`${given}\`${meant ? `; did you mean \`${meant}\`?` : ""}`,
    advice: `Its options are { ${names.map((name) => `${name}: ${types[name]}`).join(", ")} }.`,
    details: { name: wrong },
  };
}

/** Throws an error with this code for an argument that is of none of these types, which are those of {@link OptionTypes}. */
export function requireArgument(
  of: string,
  name: string,
  value: unknown,
  type: string,
  code: string,
  advice?: string,
): void {
  if (isOf(value, type)) return;
  const what = `${of} takes ${type} as \`${name}\`, not ${textOf(value)}`;
  throw new Pt2Error(code, { what, advice, details: { name } });
}

function isOf(value: unknown, types: string): boolean {
  return types
    .split(" | ")
    .some((type) =>
      type.startsWith("{")
        ? type.match(/\w+/g)!.every((member) => Object(value)[member] !== undefined)
        : type === "unknown" || typesOf(value).includes(type),
    );
}

function textOf(value: unknown): string {
  return typesOf(value).at(-1)!;
}

/** Returns the types of a value, the last of which tells most. */
function typesOf(value: unknown): readonly string[] {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (type === "string") return [type, `"${value}"`];
  if (type === "number") {
    const kinds = Number.isFinite(value) ? ["finite number", ...((value as number) < 0 ? [] : ["number from 0"])] : [];
    return Number.isNaN(value) ? ["NaN"] : [type, ...kinds, String(value)];
  }
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (type === "function") return tag === "Function" ? ["synchronous function", type] : [type, tag];
  if (type !== "object") return [type];
  if ("throwIfAborted" in (value as object)) return ["AbortSignal"];
  return [type, ...(tag === "Object" ? [] : [tag])];
}

/** Returns the candidate that was probably meant: one with an edit distance of at most two, and of less than half the text. */
export function closestName(text: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  for (let edits = 0; edits < 3 && edits < text.length / 2; edits++) {
    const near = all.find((each) => isNear(text.toLowerCase(), each.toLowerCase(), edits));
    if (near !== undefined) return near;
  }
  return undefined;
}

/** Returns whether so many insertions, deletions, substitutions and swaps of adjacent letters make one text the other. */
function isNear(a: string, b: string, edits: number): boolean {
  if (a === b || edits < 1) return a === b;
  const near = (i: number, j: number, left = edits - 1): boolean => isNear(a.slice(i), b.slice(j), left);
  if (a[0] === b[0]) return near(1, 1, edits);
  const swapped = a[0] === b[1] && a[1] === b[0] && near(2, 2);
  return swapped || near(1, 1) || near(1, 0) || near(0, 1);
}
