// Gets what tests beyond Node need, inside this folder only: `pnpm run setup`.
import { findChromium } from "./chromium.ts";
import { setUpPython } from "./set-up-python.ts";

const python = await setUpPython(console.log);
console.log("python" in python ? `PyTorch: ${python.python}` : `PyTorch: skipped: ${python.missing}`);
console.log(`Chromium: ${findChromium() ?? "skipped: none found; install one, or set PT2_CHROMIUM to its path"}`);
