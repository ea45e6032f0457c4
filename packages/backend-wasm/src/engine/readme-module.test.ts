import { readFileSync } from "node:fs";
import asc from "assemblyscript/asc";
import { expect, it } from "vitest";

it("the module of the README is what its source compiles to", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const source = /^export function largest[\s\S]*?^}$/m.exec(readme)![0];
  const [, command] = /^asc assembly\/largest\.ts (.*) -o largest\.wasm$/m.exec(readme)!;
  const shown = [...readme.matchAll(/^ {2}"([\w+/=]{40,})"/gm)].map(([, part]) => part).join("");
  const written = new Map<string, Uint8Array | string>();
  const { error, stderr } = await asc.main(["largest.ts", ...command!.split(" "), "-o", "largest.wasm"], {
    readFile: (name) => (name === "largest.ts" ? source : null),
    writeFile: (name, contents) => void written.set(name, contents),
  });
  expect([error, stderr.toString()]).toEqual([null, ""]);
  expect(shown).toBe(Buffer.from(written.get("largest.wasm") as Uint8Array).toString("base64"));
});
