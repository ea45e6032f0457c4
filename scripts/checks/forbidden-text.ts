import { filesIn, readText } from "../workspace.ts";
import type { Check, Problem } from "./problem.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly in: (file: string) => boolean;
  readonly advice: string;
}

const RULES: readonly Rule[] = [
  {
    pattern: /\b(?:TO[D]O|FIX[M]E)\b/,
    in: (file) => !file.endsWith(".gen.ts"),
    advice: "finish it, or say what is not supported where the user meets it",
  },
  {
    pattern: /(?<![\w.}/-])\/(?:home|root|work|Users|mnt)\/\w/,
    in: () => true,
    advice: "this path exists on one machine: use a path relative to the file",
  },
  {
    pattern: /\b(?:npx|bunx|npm exec|pnpm dlx|yarn dlx)(?:\s+-\S+)*\s+pt2\b/,
    in: () => true,
    advice: "the npm package `pt2` is not ours: write `npx @pt2/cli`",
  },
  {
    pattern: /\b(?:(?:no|some|any)body(?:'s)?(?!::|")|w[h]oever|minimal[ ]filtering|hostile[ ]tests?)\b/i,
    in: (file) => /\.(?:ts|md|py)$/.test(file) && !/^(?:\.changeset|examples\/search)\//.test(file),
    advice: "name the component, and use the word of docs/glossary.md",
  },
  {
    pattern: /tarball:|https?:\/\//,
    in: (file) => file === "pnpm-lock.yaml",
    advice: "the lockfile must not name a registry: install again with the default registry settings",
  },
];

/** Text that would embarrass us on another machine or in another year. */
export const forbiddenText: Check = {
  name: "forbidden text",
  run: () =>
    filesIn("", ".ts", ".py", ".md", ".json", ".yaml", ".toml", "run").flatMap((file) => {
      const rules = RULES.filter((rule) => rule.in(file));
      const lines = readText(file).split("\n");
      return rules.flatMap((rule) =>
        lines.flatMap((line, i): Problem[] => {
          const found = line.length < 10_000 ? rule.pattern.exec(line) : null;
          return found === null
            ? []
            : [{ where: `${file}:${i + 1}`, what: `has \`${found[0]}\``, advice: rule.advice }];
        }),
      );
    }),
};
