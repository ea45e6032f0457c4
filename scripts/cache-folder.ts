import { join } from "node:path";
import { ROOT } from "./workspace.ts";

/** What the packages download and compile while they are developed: inside this folder only. */
export const CACHE_FOLDER: string = join(ROOT, ".cache/pt2");
