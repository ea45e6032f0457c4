import { autogradError } from "./autograd-errors.ts";

/** What an option must be. */
type Kind = "a number" | "a boolean" | "a string" | "an array" | "an object" | "a Map";

/** Throws for what is no program, for an option that a function does not have, and for one of another kind. */
export function requireOptions(
  of: string,
  program: unknown,
  options: unknown,
  kinds: Readonly<Record<string, Kind>>,
): void {
  if (Object(Object(program).graph) !== Object(program).graph) {
    throw autogradError("autograd.options", {
      what: `${of} got no program`,
      advice: "pass the `program` of `await openProgram(file)` first",
    });
  }
  const names = Object.keys(kinds);
  const wrong = isObject(options)
    ? Object.entries(options).find(([name, value]) => value !== undefined && !isKind(value, kinds[name]))
    : [""];
  if (wrong === undefined) return;
  const [name] = wrong as [name: string];
  throw autogradError("autograd.options", {
    what: Object.hasOwn(kinds, name)
      ? `\`${name}\` of ${of} is not ${kinds[name]}`
      : name === ""
        ? `The options of ${of} are not an object`
        : `${of} has no option \`${name}\``,
    advice: `The options are ${names.join(", ")}.`,
    details: { name },
  });
}

function isKind(value: unknown, kind: Kind | undefined): boolean {
  switch (kind) {
    case "an array":
      return Array.isArray(value);
    case "an object":
      return isObject(value) && !Array.isArray(value);
    case "a Map":
      return isObject(value) && typeof (value as { get?: unknown }).get === "function";
    case undefined:
      return false;
    default:
      return `a ${typeof value}` === kind;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
