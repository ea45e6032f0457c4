import { BITS } from "./helpers/bits.ts";
import type { Helpers } from "./helpers/helper-declarations.ts";

/** Helpers that load when the first shader names one. */
interface Later {
  readonly names: ReadonlySet<string>;
  load(): Promise<Helpers>;
}

/** The helpers that load on demand; at first only their names are known. */
export const LATER: readonly Later[] = [
  {
    names: namesOf(
      "exp exp2 expm1 tanh sinh cosh scale log log2 log10 log1p asinh acosh atanh erf erfc erfinv",
      "log_rest log_split log_edges",
    ),
    load: async () => (await import("./helpers/exponentials.ts")).EXPONENTIALS,
  },
  {
    names: namesOf(
      "pow fmod mod floordiv truncdiv hypot sin cos tan asin acos atan atan2 lgamma digamma",
      "lgamma_of_positive high_part log2_pair quarter_turns two_over_pi mul_high quarter_turns_of_large sin_turned asin_rest",
      "truncdiv_i32 fmod_i32 floordiv_i32 mod_i32 shl_i32 shr_i32 pow_i32 i32_from_f32 i64_from_f32 mul_complex",
      "truncdiv_u32 fmod_u32 floordiv_u32 mod_u32 shl_u32 shr_u32 pow_u32 u32_from_f32 round_e4m3fn round_e5m2",
    ),
    load: async () => (await import("./helpers/rare.ts")).RARE,
  },
];

let loaded: Helpers = BITS;

/** Whether there is a helper of this name. */
export function hasHelper(name: string): boolean {
  return Object.hasOwn(BITS, name) || LATER.some(({ names }) => names.has(name));
}

/** Returns a shader with the declarations of the helpers that it names, and of all that these need, each once. */
export async function withHelpers(code: string): Promise<string> {
  const needed = new Set(helpersIn(code));
  const declarations: string[] = [];
  // Iteration over a set also visits what is added during it.
  for (const name of needed) {
    const declaration = await declarationOf(name);
    declarations.push(`\n${declaration}`);
    for (const other of needsOf(name, declaration)) needed.add(other);
  }
  // WGSL allows declarations in any order.
  return [code, ...declarations].join("");
}

/** Returns the helpers that a text names. */
function helpersIn(text: string): readonly string[] {
  return (text.match(/\b[a-z]\w*/g) ?? []).filter(hasHelper);
}

const needs = new Map<string, readonly string[]>();

/** Returns the helpers that a helper names. */
function needsOf(name: string, declaration: string): readonly string[] {
  const known = needs.get(name) ?? helpersIn(declaration);
  needs.set(name, known);
  return known;
}

async function declarationOf(name: string): Promise<string> {
  if (!Object.hasOwn(loaded, name)) {
    const helpers = await LATER.find(({ names }) => names.has(name))!.load();
    loaded = { ...loaded, ...helpers };
  }
  return loaded[name]!;
}

/** Returns names: functions of floats by what they compute, then helpers by their names. */
function namesOf(functions: string, ...others: readonly string[]): ReadonlySet<string> {
  return new Set([
    ...functions.split(" ").map((name) => `${name}_f32`),
    ...others.flatMap((names) => names.split(" ")),
  ]);
}
