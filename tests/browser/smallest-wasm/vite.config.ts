import type { UserConfig } from "vite";

/** As the README of the backend says: without this Vite makes one file of the worker. */
const config: UserConfig = { worker: { format: "es" } };
export default config;
