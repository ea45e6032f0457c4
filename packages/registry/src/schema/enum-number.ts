import { C10_DTYPES, LAYOUTS, MEMORY_FORMATS } from "./enums.ts";

/** Returns the number that PyTorch prints for an enum default, the inverse of `enumName`. */
export function enumNumber(base: string, name: string): number | undefined {
  const names = base === "MemoryFormat" ? MEMORY_FORMATS : base === "Layout" ? LAYOUTS : null;
  if (names !== null) return names.includes(name) ? names.indexOf(name) : undefined;
  const found = Object.entries(C10_DTYPES).find(([, dtype]) => dtype === name);
  return base === "ScalarType" && found ? Number(found[0]) : undefined;
}
