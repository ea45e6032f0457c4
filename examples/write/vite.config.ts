import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// Isolated, so that threads of the wasm backend can share memory.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default defineConfig({
  server: { headers },
  preview: { headers },
  // Works below any path of a server.
  base: "./",
  // The model that the page begins with.
  publicDir: fileURLToPath(new URL("../../tests/fixtures/language/rhyme", import.meta.url)),
  build: {
    target: "es2023",
    // A page under a strict Content Security Policy may not load `data:` addresses.
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
