import { expect, it } from "vitest";
import { FAMILIES, loadFamily } from "./families.ts";

it.each(["matmull", "constructor", undefined])("there is no family %s", async (name) => {
  await expect(loadFamily(name as never)).rejects.toMatchObject({
    code: "conformance.options",
    what: `There is no family "${name}"`,
    advice: expect.stringContaining(FAMILIES[0]!),
  });
});
