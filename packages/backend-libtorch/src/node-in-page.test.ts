import { expect, it } from "vitest";
import { LibtorchBackend, libtorch } from "./node-in-page.ts";

it("a page that imports the package is told that libtorch needs Node", async () => {
  const refused = expect.objectContaining({ name: "Pt2Error", code: "libtorch.node-entry" });
  await expect(libtorch()).rejects.toEqual(refused);
  expect(() => new LibtorchBackend()).toThrow(refused);
});
