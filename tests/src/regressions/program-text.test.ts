// Bugs that programs for running exported models had: programs that cannot be saved.
import { fromJson, print, toJson } from "@pt2/graph";
import { readSchema } from "@pt2/runtime/node";
import { expect, it } from "vitest";
import { fixtureNames, fixturePath } from "../fixture.ts";

const names = fixtureNames().filter((name) => name.startsWith("torch-2.13/") || name.startsWith("programs/"));

// Dtypes, devices, layouts, infinities and bfloat16 constants are among their arguments.
it.each(names)("a program becomes strict JSON and comes back the same: %s", async (name) => {
  const { program } = await readSchema(fixturePath(`${name}.pt2`));
  const text = JSON.stringify(toJson(program));
  expect(text).not.toMatch(/[:[,]-?(?:Infinity|NaN)/);
  expect(print(fromJson(JSON.parse(text)))).toBe(print(program));
});
