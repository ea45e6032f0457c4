/** A Python with torch, as `pnpm run setup` installs it; undefined where there is none. */
export const python: string | undefined = process.env.PT2_PYTHON;

/** What the title of a test that needs it says where it is skipped; empty where there is one. */
export const missingPython: string =
  python === undefined ? " (skipped: no Python with torch; run `pnpm run setup`)" : "";
