import type { UserConfig } from "vite";

// Cut into chunks, as the README of the backend recommends: engines differ in how workers load them.
const config: UserConfig = { worker: { format: "es" }, build: { target: "es2023" } };
export default config;
