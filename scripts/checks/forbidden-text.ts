import { filesIn, readText } from "../workspace.ts";
import type { Check, Problem } from "./problem.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly in: (file: string) => boolean;
  readonly advice: string;
}

/** British spellings of words that occur here. Brackets keep a spelling from being found in this list. */
const BRITISH = [
  "(?:un)?(?:normal|initial|quant|dequant|recogn|optim|summar|special|material|factor|vector|memo|serial|synchron|util)is(?:e|ed|es|ing|ation)s?\\b",
  "(?:neighb|col|behavi|fav|hon|flav)our",
  "cent[r]ed?s?\\b",
  "(?:label|cancel|model|signal|travel)l(?:ed|ing)\\b",
  "(?:mis)?spel[t]\\b",
  "lear[n]t\\b",
].join("|");

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
  ...wordsOfTheGlossary(
    [/\b(?:no|some|any)body(?:'s)?(?!::|")|\bw[h]oever\b/, "name the component that does it"],
    [/\bminimal[ ]filtering\b/, "GPU literature says Winograd"],
    [/\bh[o]stile\b/, "say what is wrong with it; a test with random or damaged input is a fuzz test"],
    [/\bstand-?[i]ns?\b|\bStand[I]ns?/, "`torch.fx` says placeholder"],
    [/\b(?:t[w]ins?|\w+T[w]ins?)\b/, "PyTorch says variant: functional, in-place, out, copy"],
    [/\brun[ -]?[n]umbers?\b/, "a number that only a run knows is a runtime scalar"],
    [/\bops?[ ]in[ ]place\b/, "PyTorch says in-place op"],
    [/\bwithout[ ]further[ ]ado\b|\bfor[ ]people\b|\bkeeps?[ ]no[ ]books\b/, "say what happens, in technical terms"],
    [/\brules?[ ]answers?[ ]at[ ]once\b|\banswers?[ ]later\b/, "say synchronous or asynchronous"],
  ),
  {
    pattern: new RegExp(`(?<![a-z])(?:${BRITISH})`, "i"),
    in: (file) => /(?<!\.gen)\.(?:ts|md|py)$/.test(file) && !file.startsWith("examples/search/"),
    advice: "spell it the American way, as PyTorch and WebGPU do (docs/glossary.md)",
  },
  {
    pattern: /tarball:|https?:\/\//,
    in: (file) => file === "pnpm-lock.yaml",
    advice: "the lockfile must not name a registry: install again with the default registry settings",
  },
];

/** Makes rules about words for which the field has another one; each comes with the reason. */
function wordsOfTheGlossary(...words: readonly (readonly [pattern: RegExp, reason: string])[]): readonly Rule[] {
  return words.map(([pattern, reason]) => ({
    pattern: new RegExp(pattern, "i"),
    in: (file) => /(?<!\.gen)\.(?:ts|md|py)$/.test(file) && !/^(?:\.changeset|examples\/search)\//.test(file),
    advice: `${reason} (docs/glossary.md)`,
  }));
}

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
