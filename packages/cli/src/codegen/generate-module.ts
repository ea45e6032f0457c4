import type { Program } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { commentText } from "../declare/quote.ts";
import { GraphFunctions, writesWeights } from "./graph-functions.ts";
import { ModuleFile } from "./module-file.ts";
import { HELPERS, header } from "./module-header.ts";

/** Writes a functional program as a TypeScript module of eager calls, with a function for each module of the original. */
export function generateModule(program: Program, registry: OpRegistry): string {
  const file = new ModuleFile(program.graph, registry);
  new GraphFunctions(file, program.graph, { program, name: "forward", about: "The program." }).write();
  const head = header(file.namespaces.size > 1, writesWeights(program));
  const helpers = [...HELPERS].flatMap(([call, text]) => (file.text.includes(call) ? [text] : []));
  return `// Written by \`pt2 codegen\` from a program of PyTorch ${commentText(program.torchVersion)}: eager calls, which run on any backend.
${[head, ...helpers, file.text].join("\n")}`;
}
