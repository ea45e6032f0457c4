import { requireOptions } from "@pt2/format/options";

/**
 * Returns options with the defaults of those that are not given, whose kinds these have too: numbers are not negative, as
 * in `torch.optim`, but for a dampening.
 */
export function withDefaults<Given extends object>(
  owner: string,
  defaults: Required<Given>,
  given: Given,
): Required<Given> {
  const typeOf = (name: string, value: unknown): string => {
    if (typeof value !== "number") return Array.isArray(value) ? "array" : typeof value;
    return name === "dampening" ? "finite number" : "number from 0";
  };
  const types = Object.entries(defaults).map(([name, value]) => [name, typeOf(name, value)]);
  requireOptions(owner, given, Object.fromEntries(types), "train.options");
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(present) };
}
