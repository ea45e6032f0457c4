import { expect, test } from "vitest";
import { LATER } from "../with-helpers.ts";
import { BITS } from "./bits.ts";

test("the names of helpers are known before they are loaded, and are those that the helpers declare", async () => {
  for (const { names, load } of [{ names: null, load: async () => BITS }, ...LATER]) {
    const helpers = await load();
    if (names !== null) expect(Object.keys(helpers).sort()).toEqual([...names].sort());
    for (const [name, text] of Object.entries(helpers)) expect(text).toMatch(new RegExp(`(fn|const) ${name}\\b`));
  }
});
