import { expect, it } from "vitest";
import { readDeclarations } from "./declarations.ts";

const TEXT = `import { type DType, elementCount as numel } from "@pt2/format";
/** Says { what } it is; with a semicolon. */
export interface Tensor<T extends { a: 1; b: "}" } = never> {
    // A comment of a member.
    readonly dtype: DType;
    read(): Promise<T>;
}
declare const TABLE: {
    readonly "a;b": "{";
};
export declare function at(index: number): string;
export declare function at(index: string): number;
export type Code = keyof typeof TABLE;
export { TABLE, numel };
export type { Other as Renamed } from "./other.ts";
export * from "./all.ts";
//# sourceMappingURL=index.d.ts.map`;

it("the reader finds what a declaration file declares, exports and imports", () => {
  const { declared, exported, documented, aliases, stars } = readDeclarations(TEXT);
  expect([...documented]).toEqual(["Tensor"]);
  expect([...exported].sort()).toEqual(["Code", "Renamed", "TABLE", "Tensor", "at", "numel"]);
  expect(declared.get("Tensor")).toBe(
    'export interface Tensor<T extends { a: 1; b: "}" } = never> {\n    readonly dtype: DType;\n    read(): Promise<T>;\n}',
  );
  expect(declared.get("TABLE")).toBe('declare const TABLE: {\n    readonly "a;b": "{";\n};');
  expect(declared.get("at")!.split("\n")).toHaveLength(2);
  expect(aliases.get("numel")).toEqual({ name: "elementCount", from: "@pt2/format" });
  expect(aliases.get("Renamed")).toEqual({ name: "Other", from: "./other.ts" });
  expect(stars).toEqual(["./all.ts"]);
});
