// A separate entry point, because few programs have such regions.
export { expandAutocast } from "./passes/autocast/expand-autocast.ts";
export { expandVmap } from "./passes/expand-vmap.ts";
