import { BITS } from "./helpers/bits.ts";
import { COMPLEX } from "./helpers/complex.ts";
import { ERROR_FUNCTION } from "./helpers/error-function.ts";
import { EXPONENTIAL } from "./helpers/exponential.ts";
import { GAMMA } from "./helpers/gamma.ts";
import { INTEGERS } from "./helpers/integers.ts";
import { LOGARITHM } from "./helpers/logarithm.ts";
import { POWER } from "./helpers/power.ts";
import { REMAINDER } from "./helpers/remainder.ts";
import { TRIGONOMETRY } from "./helpers/trigonometry.ts";

/** Declarations of WGSL by the name that they declare. */
export type Helpers = Readonly<Record<string, string>>;

const HELPERS: Helpers = {
  ...BITS,
  ...INTEGERS,
  ...EXPONENTIAL,
  ...LOGARITHM,
  ...TRIGONOMETRY,
  ...REMAINDER,
  ...POWER,
  ...ERROR_FUNCTION,
  ...GAMMA,
  ...COMPLEX,
};

/** Whether the prelude has a helper. */
export function hasHelper(name: string): boolean {
  return Object.hasOwn(HELPERS, name);
}

/** Helpers that a text names, each once; not those that they name in turn. */
export function helpersIn(text: string): readonly string[] {
  return [...new Set(text.match(/\b[a-z]\w*/g))].filter(hasHelper);
}

const needs = new Map<string, readonly string[]>();

/** The helpers that a helper names. */
function needsOf(name: string): readonly string[] {
  const known = needs.get(name) ?? helpersIn(HELPERS[name] as string);
  needs.set(name, known);
  return known;
}

/** The declarations of helpers and of all that they need, each once. A shader has one prelude. */
export function prelude(helpers: Iterable<string>): string {
  const needed = new Set(helpers);
  // A set is iterated over what is added meanwhile too.
  for (const name of needed) for (const other of needsOf(name)) needed.add(other);
  return [...needed].map((name) => `${HELPERS[name]}\n`).join("");
}
