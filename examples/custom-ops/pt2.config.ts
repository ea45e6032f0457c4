import { defineConfig } from "@pt2/cli";
import { demo } from "./src/ops.ts";

export default defineConfig({ ops: [demo] });
