// Runs the backend of docs/writing-a-backend.md through the suite that the document recommends.
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import { modulesOf, writeModules } from "./documents.ts";

const markdown = readFileSync(new URL("../../docs/writing-a-backend.md", import.meta.url), "utf8");
const folder = await writeModules(modulesOf(markdown));
afterAll(() => rm(folder, { recursive: true }));

// The import defines the tests.
await import(pathToFileURL(join(folder, "toy.test.ts")).href);
