/** One import of a module by another. */
export interface Import {
  /** What stands between the quotes. */
  readonly specifier: string;
  /** Erased by the compiler, so that it cannot close a cycle at run time. */
  readonly typeOnly: boolean;
}

/**
 * The imports of a TypeScript module: `import … from`, `export … from`, bare and dynamic ones.
 *
 * Relies on Biome's formatting (a statement starts its line), which `pnpm check` enforces; comments are skipped.
 */
export function parseImports(source: string): readonly Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statements = code.matchAll(/^(?:import|export)(?:( type)? [\w*{][^;"'`=]*? from)? "([^"\n]+)"/gm);
  const dynamic = code.matchAll(/\bimport\("([^"\n]+)"\)/g);
  return [
    ...Array.from(statements, ([, type, specifier]) => ({ specifier: specifier!, typeOnly: type !== undefined })),
    ...Array.from(dynamic, ([, specifier]) => ({ specifier: specifier!, typeOnly: false })),
  ];
}
