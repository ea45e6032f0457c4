import { defineConfig } from "vite";

export default defineConfig({
  // Works below any path of a server.
  base: "./",
  build: { target: "es2023", assetsInlineLimit: 0, rolldownOptions: { checks: { pluginTimings: false } } },
});
