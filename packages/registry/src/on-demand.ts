// What loads when it is first asked for: a page that runs an image classifier does not download linear algebra.

export { atenOnDemand } from "./aten/on-demand.ts";
export { loading, NotLoaded, onDemand } from "./not-loaded.ts";
