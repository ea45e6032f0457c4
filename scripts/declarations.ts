/** What a declaration file of the compiler declares and exports. */
export interface Declarations {
  /** Text by name, without comments; overloads follow each other. */
  readonly declared: ReadonlyMap<string, string>;
  readonly exported: ReadonlySet<string>;
  /** The declared names that have a doc comment. */
  readonly documented: ReadonlySet<string>;
  /** Names that stand for others: of this file (`from` is null), or of another module. */
  readonly aliases: ReadonlyMap<string, { readonly name: string; readonly from: string | null }>;
  /** Modules all of whose names are exported. */
  readonly stars: readonly string[];
}

const BLOCK = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|namespace)\b/;
const DECLARATION =
  /^(export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|class|enum|namespace|type|const|let|function) ([\w$]+)/;

/** A doc comment, which the compiler writes to its own lines, and the name that is declared behind it. */
const DOCUMENTED = new RegExp(`\\*/\\n${DECLARATION.source.slice(1).replace("(export )", "(?:export )")}`, "g");

/** Reads a `.d.ts` file as the TypeScript compiler writes it. */
export function readDeclarations(text: string): Declarations {
  const declared = new Map<string, string>();
  const exported = new Set<string>();
  const aliases = new Map<string, { name: string; from: string | null }>();
  const stars: string[] = [];
  const documented = new Set([...text.matchAll(DOCUMENTED)].map(([, name]) => name!));
  const list = (names: string): (readonly [name: string, as: string])[] =>
    names
      .split(",")
      .map((each) => each.trim().replace(/^type /, ""))
      .filter((each) => each !== "")
      .map((each) => {
        const [name = "", as = name] = each.split(/ as /);
        return [name, as];
      });
  for (const statement of statementsOf(withoutComments(text))) {
    const star = /^export (?:type )?\* from "([^"]+)"/.exec(statement);
    const names = /^(import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/.exec(statement);
    const declaration = DECLARATION.exec(statement);
    if (star !== null) stars.push(star[1]!);
    else if (names !== null) {
      for (const [name, as] of list(names[2]!)) {
        if (names[1] === "export") exported.add(as);
        if (names[1] === "import" || names[3] !== undefined || name !== as) {
          aliases.set(as, { name, from: names[3] ?? null });
        }
      }
    } else if (declaration !== null) {
      const [, isExported, name = ""] = declaration;
      if (isExported !== undefined) exported.add(name);
      const before = declared.get(name);
      declared.set(name, before === undefined ? statement : `${before}\n${statement}`);
    }
  }
  return { declared, exported, documented, aliases, stars };
}

/** The text with comments gone, and the lines that only they had. */
function withoutComments(text: string): string {
  return text
    .replace(
      /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
      (_, kept) => kept ?? "",
    )
    .split("\n")
    .filter((line) => line.trim() !== "")
    .join("\n");
}

/** Statements of the top level: up to a semicolon, or the closing brace of an interface, class, enum or namespace. */
function statementsOf(text: string): readonly string[] {
  const statements: string[] = [];
  let begin = 0;
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
      continue;
    }
    if (char === '"' || char === "'" || char === "`") quote = char;
    else if ("({[".includes(char)) depth++;
    else if (")}]".includes(char)) depth--;
    // The compiler begins a line with the brace that ends a block.
    const isBlock = char === "}" && text[at - 1] === "\n" && BLOCK.test(text.slice(begin, at).trimStart());
    if (depth > 0 || !(char === ";" || isBlock)) continue;
    statements.push(text.slice(begin, at + 1).trim());
    begin = at + 1;
  }
  return statements;
}
