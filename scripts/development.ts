// Preloaded by the root's scripts (`node --import`): what `pnpm run setup` made, and a browser, is what they find.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CACHE_FOLDER } from "./cache-folder.ts";
import { findChromium } from "./chromium.ts";
import { PYTHON_FOLDER } from "./python.ts";
import { ROOT } from "./workspace.ts";

const python = join(ROOT, PYTHON_FOLDER, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
if (existsSync(python)) process.env.PT2_PYTHON ??= python;
const chromium = findChromium();
if (chromium !== undefined) process.env.PT2_CHROMIUM ??= chromium;
process.env.PT2_CACHE ??= CACHE_FOLDER;
