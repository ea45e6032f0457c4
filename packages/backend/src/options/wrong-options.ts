/** The options of a function by name, each with the types that it takes as TypeScript writes them: `"a" | number`. */
export type OptionTypes = Readonly<Record<string, string>>;

/**
 * Returns the options that do not exist or have an impossible value; "" stands for options that are no object. An option
 * that is undefined is left out.
 */
export function wrongOptions(options: unknown, types: OptionTypes): readonly string[] {
  if (typeof options !== "object" || options === null) return [""];
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined || typesOf(value).some((type) => types[name]?.split?.(" | ").includes(type)) ? [] : name,
  );
}

/** Returns the types of a value, the last of which tells most. */
export function typesOf(value: unknown): readonly string[] {
  if (typeof value === "string") return ["string", `"${value}"`];
  if (typeof value !== "object" || value === null) return [value === null ? "null" : typeof value];
  return "throwIfAborted" in value ? ["AbortSignal"] : ["object"];
}
