import { expect, it } from "vitest";
import { parseImports } from "./imports.ts";

it("every form of import is found, and no text that looks like one", () => {
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
type T = import("inType").T;
const text = 'import "quoted"';
export const i = "constant";
export function j(k = "default"): string {
  return "returned";
}
`;
  const names = ["effect", "types", "mixed", "lines", "star", "again", "typesAgain", "dynamic", "inType"];
  expect(parseImports(source)).toEqual(names);
});
