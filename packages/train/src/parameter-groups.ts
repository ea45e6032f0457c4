import { requireOptions } from "@pt2/format/options";
import type { Optimizer } from "./optimizers.ts";
import { trainError } from "./train-errors.ts";
import type { GroupOptions } from "./trainer-options.ts";
import type { ParameterGroup } from "./with-optimizer.ts";

const OPTIONS: Readonly<Record<keyof GroupOptions, string>> = {
  match: "synchronous function",
  lr: "number from 0",
  weightDecay: "number from 0",
};

/** Returns the groups of parameters: those that are given, and one of all other parameters. */
export function parameterGroups(
  names: readonly string[],
  given: readonly GroupOptions[],
  { lr, weightDecay }: Optimizer,
): readonly ParameterGroup[] {
  const all: readonly GroupOptions[] = [...given, { match: () => true }];
  const left = new Set(names);
  const groups = all.map((group, g) => {
    const owner = `groups[${g}]`;
    requireOptions(owner, group, OPTIONS, "train.options", "match");
    const own = [...left].filter((name) => group.match(name));
    for (const name of own) left.delete(name);
    if (own.length === 0 && g < given.length) {
      throw trainError("train.parameters", {
        what: `${owner} has no parameter`,
        advice: `\`match\` is called with names of parameters that are trained and in no group before: ${[...left].slice(0, 10).join(", ")}.`,
      });
    }
    return { names: own, lr: group.lr ?? lr, weightDecay: group.weightDecay ?? weightDecay };
  });
  return groups.filter((group) => group.names.length > 0);
}
