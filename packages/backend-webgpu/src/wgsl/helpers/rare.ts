import { COMPLEX } from "./complex.ts";
import { FLOAT8 } from "./float8.ts";
import { GAMMA } from "./gamma.ts";
import type { Helpers } from "./helper-declarations.ts";
import { INTEGERS } from "./integers.ts";
import { POWER } from "./power.ts";
import { REMAINDER } from "./remainder.ts";
import { TRIGONOMETRY } from "./trigonometry.ts";

/** The helpers that few shaders need. */
export const RARE: Helpers = { ...COMPLEX, ...FLOAT8, ...GAMMA, ...INTEGERS, ...POWER, ...REMAINDER, ...TRIGONOMETRY };
