// Bugs that programs for running exported models had: arguments that were lost, or taken for others.
import { it } from "vitest";
import { expectFixture } from "../fixture.ts";

it.each(["torch-2.13/lists", "torch-2.13/lists_aten"])("chunk, split, unbind and topk give every output: %s", (name) =>
  expectFixture(name),
);

it.each(["programs/optionals", "programs/optionals_aten"])(
  "indices with gaps, strings, optional tensors and memory formats reach their ops: %s",
  (name) => expectFixture(name),
);

it.each(["programs/reductions", "programs/reductions_aten"])(
  "several dims, keepdim, dim and descending are honored, also where they differ from the defaults: %s",
  (name) => expectFixture(name),
);

it.each(["programs/arithmetic", "programs/arithmetic_aten"])(
  "alpha, beta and the dtype of a cast are honored, and int64 plus a number stays int64: %s",
  (name) => expectFixture(name),
);

it.each(["torch-2.13/consts", "torch-2.13/consts_aten"])("an infinite constant is a number: %s", (name) =>
  expectFixture(name),
);

it.each(["torch-2.13/numerics", "torch-2.13/numerics_aten"])(
  "casts run, and so do the checks beside them: %s",
  (name) => expectFixture(name),
);

it.each(["torch-2.13/attention", "torch-2.13/attention_aten"])(
  "keyword arguments after an omitted default count: attention with a scale; layer norm without weight: %s",
  (name) => expectFixture(name),
);
