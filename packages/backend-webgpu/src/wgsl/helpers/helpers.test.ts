import { expect, test } from "vitest";
import { LATER } from "../prelude.ts";
import { BITS } from "./bits.ts";

test("helpers are known by their names before they are loaded, and declare them", async () => {
  for (const { names, load } of [{ names: null, load: async () => BITS }, ...LATER]) {
    const helpers = await load();
    if (names !== null) expect(Object.keys(helpers).sort()).toEqual([...names].sort());
    for (const [name, text] of Object.entries(helpers)) expect(text).toMatch(new RegExp(`(fn|const) ${name}\\b`));
  }
});
