import { expect, it } from "vitest";
import { parseImports } from "./imports.ts";
import { moduleCycles } from "./module-cycles.ts";

it("finds every form of import", () => {
  const source = `// import { no } from "comment";
/* export * from "block"; */
import "effect";
import type { A } from "types";
import { type B, c } from "mixed";
import d, {
  e,
} from "lines";
import * as f from "star";
export { g } from "again";
export type * from "typesAgain";
const h = await import("dynamic");
const text = 'import "quoted"';
export const i = "constant";
export function j(k = "default"): string {
  return "returned";
}
`;
  const found = parseImports(source);
  const names = ["effect", "types", "mixed", "lines", "star", "again", "typesAgain", "dynamic"];
  expect(found.map(({ specifier }) => specifier)).toEqual(names);
  expect(found.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier)).toEqual(["types", "typesAgain"]);
});

it("finds a cycle once, and does not mind types", () => {
  const modules = {
    "p/a.ts": 'import { b } from "./b.ts";',
    "p/b.ts": 'import { c } from "./deep/c.ts";\nimport type { D } from "./d.ts";',
    "p/deep/c.ts": 'import { a } from "../a.ts";',
    "p/d.ts": 'import { b } from "./b.ts";',
  };
  expect(moduleCycles(new Map(Object.entries(modules)))).toEqual([["p/a.ts", "p/b.ts", "p/deep/c.ts", "p/a.ts"]]);
});
