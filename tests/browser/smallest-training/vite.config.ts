import type { UserConfig } from "vite";

// As the READMEs of the backends recommend: what a page always needs is one file, which compresses better than many.
const config: UserConfig = {
  build: { rolldownOptions: { output: { codeSplitting: { groups: [{ name: "pt2", tags: ["$initial"] }] } } } },
};

export default config;
