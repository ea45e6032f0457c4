// An entry point of its own: few programs have such regions.
export { expandAutocast } from "./passes/autocast/expand-autocast.ts";
export { expandVmap } from "./passes/expand-vmap.ts";
