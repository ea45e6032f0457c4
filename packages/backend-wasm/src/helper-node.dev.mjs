// Starts a helper thread from sources. Node 20 does not pass TypeScript loaders on to threads, so it registers its own.
import { register } from "tsx/esm/api";

register();
await import("./helper-node.ts");
