/**
 * What a TypeScript module imports: `import … from`, `export … from`, bare and dynamic imports, of values and of types.
 *
 * Relies on Biome's formatting (a statement starts its line), which `pnpm check` enforces; comments are skipped.
 */
export function parseImports(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statements = code.matchAll(/^(?:import|export)(?: (?:type )?[\w*{][^;"'`=]*? from)? "([^"\n]+)"/gm);
  const dynamic = code.matchAll(/\bimport\("([^"\n]+)"\)/g);
  return [...statements, ...dynamic].map(([, specifier]) => specifier!);
}
