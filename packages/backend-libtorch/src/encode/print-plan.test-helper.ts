import type { PlanArg, PlanGraph, PlanNode, PlanSource } from "../addon.ts";

/** A plan as text. */
export function printPlan({ graphs, device }: PlanSource): string {
  return `on ${device}\n${graphs.map(printGraph).join("")}`;
}

function printGraph({ slots, inputs, nodes, outputs }: PlanGraph, index: number): string {
  const head = `graph ${index} (${inputs.map((slot) => slot ?? "-").join(", ")}) ${slots} slots`;
  return `${[head, ...nodes.map(printNode), `  return ${outputs.map(printArg).join(", ")}`].join("\n")}\n`;
}

function printNode({ kind, op, args, outputs }: PlanNode): string {
  const given = args.map(({ name, arg }) => `${name === "" ? "" : `${name}=`}${printArg(arg)}`);
  const results = outputs.map((slot) => (Array.isArray(slot) ? `[${slot.join(", ")}]` : (slot ?? "-")));
  return `  ${kind} ${op}(${given.join(", ")}) -> ${results.join(", ")}`;
}

function printArg(arg: PlanArg): string {
  switch (arg.kind) {
    case "none":
      return "none";
    case "slot":
      return `%${arg.slot}`;
    case "list":
      return `[${arg.items.map(printArg).join(", ")}]`;
    case "graph":
      return `graph ${arg.graph}`;
    case "complex":
      return `${arg.re}+${arg.im}j`;
    case "string":
      return JSON.stringify(arg.value);
    default:
      return String(arg.value);
  }
}
