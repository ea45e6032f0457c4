export { type Arrow, type Box, type Diagram, type DrawOptions, diagramOf } from "./diagram.ts";
export { toDot } from "./dot.ts";
export { type Family, familyOf } from "./family.ts";
export { depthFor, type Fold, foldModules } from "./fold.ts";
export { type Layered, layer, type Slot } from "./layers.ts";
export { toMermaid } from "./mermaid.ts";
export { toSvg } from "./svg.ts";
