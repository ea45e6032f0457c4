// A module for `--import`: Node runs it in every thread too.
import { answer } from "./answer.mjs";

globalThis.preloaded = await answer();
