import type { UserConfig } from "vite";

// As the READMEs of the backends recommend, where `test` is the folder of packages from npm: what a page always needs is
// one file, which compresses better than many.
const config: UserConfig = {
  build: {
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "pt2", tags: ["$initial"], test: /packages/ }] } } },
  },
};

export default config;
