import { defineConfig } from "vite";

export default defineConfig({
  // Works below any path of a server.
  base: "./",
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    rolldownOptions: { input: ["index.html", "sentiment.html"], checks: { pluginTimings: false } },
  },
});
