import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "../browser/browser.ts";
import { serve } from "../browser/serve.ts";

const DIGITS = fileURLToPath(new URL("../../examples/digits/digits.pt2", import.meta.url));
const THREE = ["  ####  ", " ##  ## ", "     ## ", "   ###  ", "     ## ", " ##  ## ", "  ####  ", "        "];

/** What every bundler is to come to: the digit that the network reads. */
export const ANSWER = "3";

const FORWARD = `const pixels = Array.from(${JSON.stringify(THREE.join(""))}, (dot) => (dot === "#" ? 1 : 0));
  const scores = Array.from(await (await model.forward(tensor("float32", [1, 1, 8, 8], pixels))).read(), Number);
  const answer = String(scores.indexOf(Math.max(...scores)));`;

/** A page that computes in a worker, and on its own thread. */
export const PAGE: string = `import { wasm } from "@pt2/backend-wasm";
import { load, tensor } from "@pt2/runtime";

async function read(options) {
  const backend = wasm(options);
  const model = await load("/digits.pt2", { backend });
  ${FORWARD}
  return answer;
}
globalThis.answers = Promise.all([read(), read({ worker: false })]);
`;

/** A function of Node that computes in a thread. */
export const SERVER: string = `import { wasm } from "@pt2/backend-wasm/node";
import { load, tensor } from "@pt2/runtime/node";

export async function read(file) {
  const backend = wasm();
  const model = await load(file, { backend });
  ${FORWARD}
  await backend.dispose();
  return answer;
}
`;

/** Files of a project, by path. */
export type Files = Readonly<Record<string, string>>;

export async function writeProject(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await mkdir(join(folder, "public"), { recursive: true });
  await copyFile(DIGITS, join(folder, "public/digits.pt2"));
}

/** Opens the page that lies in a folder, under a strict Content Security Policy; the answers with and without worker. */
export async function answersOfPage(folder: string): Promise<readonly string[]> {
  await copyFile(DIGITS, join(folder, "digits.pt2"));
  const site = await serve({ folders: { "/": folder } });
  try {
    return await answersAt(site.url);
  } finally {
    await site.close();
  }
}

/** Opens a page; the answers with and without worker, once it has begun to ask for them. */
export async function answersAt(url: string): Promise<readonly string[]> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    const failed = new Promise<void>((resolve) => {
      page.on("pageerror", (error) => {
        errors.push(String(error));
        resolve();
      });
    });
    await page.goto(url);
    const asked = page.waitForFunction(() => "answers" in globalThis, null, { timeout: 0 });
    asked.catch(() => {});
    await Promise.race([asked, failed]);
    if (errors.length > 0) return errors;
    const answers = await page.evaluate(() =>
      (globalThis as unknown as { answers: Promise<string[]> }).answers.catch((error) => [String(error)]),
    );
    return errors.length > 0 ? errors : answers;
  } finally {
    await browser.close();
  }
}
