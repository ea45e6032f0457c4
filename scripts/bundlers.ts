// The packed packages in every bundler and runtime that users have: `pnpm bundlers [NAME…]`, after `pnpm build`.
import { findChromium } from "./chromium.ts";
import { run } from "./run.ts";

const chromium = findChromium();
const script = ["-C", "dev", "--import", "tsx", "tests/bundlers/main.ts", ...process.argv.slice(2)];
const env = chromium === undefined ? {} : { PT2_CHROMIUM: chromium };
process.exitCode = (await run(process.execPath, script, { show: true, env })).code;
