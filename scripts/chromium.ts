import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ELSEWHERE = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:/Program Files/Google/Chrome/Application/chrome.exe",
];

/** A Chromium that tests can drive: `PT2_CHROMIUM`, or an installed one. Nothing is downloaded. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [process.env.PT2_CHROMIUM, ...onPath, ...ELSEWHERE].find((path) => path !== undefined && existsSync(path));
}
