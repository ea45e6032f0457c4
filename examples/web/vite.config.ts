import { defineConfig } from "vite";

// Cross-origin isolation is not needed. With it threads of the wasm backend share memory; it makes the page's clock finer,
// and lets a run stop between two steps.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

const HASHED = "assets/[name]-[hash][extname]";

export default defineConfig({
  // Works below any path of a server.
  base: "./",
  build: {
    target: "es2023",
    // A page under a strict Content Security Policy may not load `data:` addresses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Two thirds of a build is the worker, which is no news.
      checks: { pluginTimings: false },
      // A model is shown, and linked to, by the name of its file.
      output: { assetFileNames: ({ names: [name] }) => (name?.endsWith(".pt2") ? "[name][extname]" : HASHED) },
    },
  },
  server: { headers },
  preview: { headers },
});
