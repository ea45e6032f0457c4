import { spawn } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { command, publishedPackages } from "../src/installed-project.ts";
import { answersAt, answersOfPage, type Files, PAGE, SERVER } from "./project.ts";

/** One way to bundle or run the packages as users do. */
export interface Bundler {
  readonly name: string;
  /** What it needs beside the packages, as npm is told. */
  readonly needs: readonly string[];
  readonly files: Files;
  /** Builds and runs the project in a folder; what it answers, each time it is asked. */
  run(folder: string): Promise<readonly string[]>;
}

const html = (script: string): string =>
  `<!doctype html><title>Digits</title><script type="module" src="${script}"></script>`;
const bin = (folder: string, name: string): string => join(folder, "node_modules/.bin", name);

const vite = (version: string, config?: string): Bundler => ({
  name: `vite ${version}${config === undefined ? "" : ", worker.format es"}`,
  needs: [`vite@${version}`],
  files: { "index.html": html("/main.js"), "main.js": PAGE, ...(config && { "vite.config.js": config }) },
  async run(folder) {
    await command(bin(folder, "vite"), ["build", "--logLevel", "warn"], folder);
    return await answersOfPage(join(folder, "dist"));
  },
});

const ES_WORKERS = 'export default { worker: { format: "es" } };\n';

const esbuild = (name: string, ...flags: readonly string[]): Bundler => ({
  name: `esbuild, ${name}`,
  needs: ["esbuild"],
  files: { "main.js": PAGE, "site/index.html": html("/main.js") },
  async run(folder) {
    const shared = ["--bundle", "--minify", "--format=esm", "--outdir=site", "--log-level=error", ...flags];
    await command(
      bin(folder, "esbuild"),
      ["main.js", "worker=node_modules/@pt2/backend-wasm/dist/worker.js", ...shared],
      folder,
    );
    return await answersOfPage(join(folder, "site"));
  },
});

const MAIN = 'import { read } from "./read.js";\nread("public/digits.pt2").then((answer) => console.log(answer));\n';

const webpack: Bundler = {
  name: "webpack 5",
  needs: ["webpack@5", "webpack-cli"],
  files: { "src/index.js": PAGE, "dist/index.html": html("/main.js") },
  async run(folder) {
    await command(bin(folder, "webpack"), ["--mode", "production"], folder);
    return await answersOfPage(join(folder, "dist"));
  },
};

const webpackForNode: Bundler = {
  name: "webpack 5, for Node",
  needs: webpack.needs,
  files: { "src/read.js": SERVER, "src/index.js": MAIN },
  async run(folder) {
    const flags = ["--mode", "production", "--target", "node", "--output-filename", "main.cjs"];
    await command(bin(folder, "webpack"), flags, folder);
    return [(await command(process.execPath, ["dist/main.cjs"], folder)).trim()];
  },
};

const bunBuild: Bundler = {
  name: "bun build",
  needs: ["bun"],
  files: { "main.js": PAGE, "site/index.html": html("/main.js") },
  async run(folder) {
    const flags = ["--splitting", "--outdir", "site", "--target", "browser", "--entry-naming", "[name].[ext]"];
    await command(bin(folder, "bun"), ["build", "main.js", ...flags], folder);
    await command(bin(folder, "bun"), ["build", "node_modules/@pt2/backend-wasm/dist/worker.js", ...flags], folder);
    return await answersOfPage(join(folder, "site"));
  },
};

const runtime = (name: string, needs: readonly string[], ...args: readonly string[]): Bundler => ({
  name,
  needs,
  files: { "read.js": SERVER, "main.js": MAIN },
  async run(folder) {
    const program = needs.length === 0 ? process.execPath : bin(folder, needs[0]!);
    return [(await command(program, [...args, "main.js"], folder)).trim()];
  },
});

const REQUIRE = `const { wasm } = require("@pt2/backend-wasm/node");
const { load, tensor } = require("@pt2/runtime/node");
${SERVER.replace(/^import.*\n/gm, "").replace("export async", "async")}
read("public/digits.pt2").then((answer) => console.log(answer));
`;

const required: Bundler = {
  name: "require()",
  needs: [],
  files: { "main.cjs": REQUIRE },
  run: async (folder) => [(await command(process.execPath, ["main.cjs"], folder)).trim()],
};

/** What becomes one file has no worker beside it, unless it is told where packages lie: beside the executable. */
const IN_ONE = ["--bundle", "--platform=node", "--format=cjs", "--outfile=main.cjs", "--log-level=error"];
const BESIDE = [
  "--define:import.meta.url=here",
  '--banner:js=const here = require("node:url").pathToFileURL(process.execPath).href;',
];
const ON_CALLING_THREAD = SERVER.replace("wasm()", "wasm({ worker: false })");

const oneFile: Bundler = {
  name: "esbuild, one file for Node",
  needs: ["esbuild"],
  files: { "read.js": ON_CALLING_THREAD, "main.js": MAIN },
  async run(folder) {
    // Only the worker's place is not known, and it has none.
    await command(bin(folder, "esbuild"), ["main.js", ...IN_ONE, "--log-override:empty-import-meta=silent"], folder);
    return [(await command(process.execPath, ["main.cjs"], folder)).trim()];
  },
};

const SEA = '{ "main": "main.cjs", "output": "sea.blob", "disableExperimentalSEAWarning": true }\n';
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const singleExecutable = (name: string, server: string, flags: readonly string[]): Bundler => ({
  name: `single executable, ${name}`,
  needs: ["esbuild", "postject"],
  files: { "read.js": server, "main.js": MAIN, "sea.json": SEA },
  async run(folder) {
    await command(bin(folder, "esbuild"), ["main.js", ...IN_ONE, ...flags], folder);
    await command(process.execPath, ["--experimental-sea-config", "sea.json"], folder);
    const app = join(folder, "app");
    await copyFile(process.execPath, app);
    await command(bin(folder, "postject"), [app, "NODE_SEA_BLOB", "sea.blob", "--sentinel-fuse", FUSE], folder);
    return [(await command(app, [], folder)).trim()];
  },
});

const EVERYTHING = publishedPackages()
  .flatMap(({ entryPoints }) => entryPoints)
  .map((entry, i) => `export * as m${i} from "${entry}";\n`);
const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--pretty", "false"];

/** A compiler of users that is older than ours, which checks the packages' declarations too. */
const typescript = (version: string): Bundler => ({
  name: `typescript ${version}`,
  needs: [`typescript@${version}`, "@types/node@20", "@webgpu/types"],
  files: {
    "read.ts": SERVER.replace("read(file)", "read(file: string)"),
    "main.ts": MAIN,
    "all.ts": EVERYTHING.join(""),
  },
  async run(folder) {
    const settings = [
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2022,dom",
      "--types",
      "node,@webgpu/types",
    ];
    await command(bin(folder, "tsc"), [...STRICT, ...settings, "main.ts", "all.ts"], folder);
    return [(await command(process.execPath, ["main.js"], folder)).trim()];
  },
});

const ROUTE = `import { read } from "../../read.js";
export const dynamic = "force-dynamic";
export async function GET() {
  try {
    return new Response(await read("public/digits.pt2"));
  } catch (error) {
    return new Response(String(error.stack));
  }
}
`;
const LAYOUT = "export default ({ children }) => <html lang='en'><body>{children}</body></html>;\n";
const CLIENT = `"use client";
import { useEffect } from "react";
export default function Page() {
  useEffect(() => void import("../main.js"), []);
  return <p>Digits</p>;
}
`;
const EXTERNAL = 'export default { serverExternalPackages: ["@pt2/backend-wasm", "@pt2/runtime"] };\n';

const next = (version: string, config?: string): Bundler => ({
  name: `next ${version}${config === undefined ? "" : ", serverExternalPackages"}`,
  needs: [`next@${version}`, "react@19", "react-dom@19"],
  files: {
    "read.js": SERVER,
    "main.js": PAGE,
    "app/answer/route.js": ROUTE,
    "app/layout.jsx": LAYOUT,
    "app/page.jsx": CLIENT,
    ...(config && { "next.config.mjs": config }),
  },
  async run(folder) {
    await command(bin(folder, "next"), ["build"], folder);
    const port = await freePort();
    const server = spawn(bin(folder, "next"), ["start", "-p", String(port)], { cwd: folder, stdio: "ignore" });
    try {
      const url = `http://127.0.0.1:${port}`;
      return [await answerOf(`${url}/answer`), ...(await answersAt(url))];
    } finally {
      server.kill();
    }
  },
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answerOf(url: string): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(url)).text();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Those whose tools the repository has itself. */
export const OWN: readonly Bundler[] = [
  vite("8"),
  vite("8", ES_WORKERS),
  esbuild("splitting", "--splitting"),
  esbuild("one file each"),
  runtime("node", []),
  required,
  oneFile,
];

/** Those whose tools npm brings. */
export const OTHERS: readonly Bundler[] = [
  vite("5", ES_WORKERS),
  vite("6", ES_WORKERS),
  vite("7", ES_WORKERS),
  webpack,
  webpackForNode,
  bunBuild,
  runtime("bun", ["bun"]),
  runtime("deno", ["deno"], "run", "--allow-all"),
  typescript("5.9"),
  singleExecutable("calling thread", ON_CALLING_THREAD, ["--log-override:empty-import-meta=silent"]),
  singleExecutable("packages beside it", SERVER, BESIDE),
  next("15"),
  next("16", EXTERNAL),
];
