import type { Command } from "../command.ts";
import { inspect } from "./inspect.ts";
import { verify } from "./verify.ts";

/** The commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [inspect, verify];
