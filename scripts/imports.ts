import { parseAst } from "rolldown/parseAst";

/**
 * Returns what a TypeScript module imports, in the order of its text: `import … from`, `export … from`, bare and dynamic
 * imports, of values and of types.
 */
export function parseImports(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isNode(node)) return;
    const { type, source: from } = node;
    // A dynamic import of something computed names nothing.
    if (IMPORTS.has(type) && isNode(from) && typeof from["value"] === "string") found.push(from["value"]);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(source, { lang: "ts" }).body);
  return found;
}

const IMPORTS: ReadonlySet<string> = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

function isNode(value: unknown): value is { readonly type: string; readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && "type" in value;
}
