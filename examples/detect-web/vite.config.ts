import { defineConfig } from "vite";

export default defineConfig({
  // Works below any path of a server.
  base: "./",
  build: {
    target: "es2023",
    // A page under a strict Content Security Policy may not load `data:` addresses.
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
