import type { Program, SymRange } from "../ir.ts";
import type { Bindings } from "../sym/evaluate-expr.ts";

/**
 * Returns a size within its range for each symbol of the inputs. Files say with each expression which value it had in the
 * call of the export, and Python needs one; the IR does not keep that call.
 */
export function exampleSizes({ ranges }: Program): Bindings {
  const symbols = [...ranges].filter(([name]) => /^s\d+$/.test(name));
  // Sizes that differ from each other and from 0 and 1, where their ranges allow that.
  return new Map(symbols.map(([name, range], i) => [name, within(range, 2 + i)] as const));
}

function within({ min, max }: SymRange, wanted: number): number {
  const least = Math.max(wanted, Number(min ?? 0));
  return max === null ? least : Math.min(least, Number(max));
}
