import type { Command } from "../command.ts";
import { bench } from "./bench.ts";
import { doctor } from "./doctor.ts";
import { graph } from "./graph.ts";
import { inspect } from "./inspect.ts";
import { ops } from "./ops.ts";
import { profile } from "./profile.ts";
import { run } from "./run.ts";
import { verify } from "./verify.ts";

/** The commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [inspect, ops, run, verify, bench, profile, graph, doctor];
