import { type Backend, HostTensor } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { compareTensor, type Tolerance } from "../compare.ts";
import { interpreted } from "./expected.ts";
import type { FoundFault } from "./fault.ts";
import { type OpSample, sampleText } from "./op-sample.ts";
import { type OpCall, type OutputValue, runOp } from "./run-op.ts";
import { tensorOf } from "./variants.ts";

type MemoryFault = Pick<FoundFault, "what" | "advice">;

/**
 * Calls an op with copies of its operands, adds 1 to each copy that it does not write itself, and looks at results and
 * operands then: results that are no views must not have changed, and operands must be what was added up.
 */
export async function memoryFaults(
  backend: Backend,
  call: OpCall,
  expected: readonly OutputValue[],
  toleranceOf: (dtype: DType) => Tolerance,
): Promise<readonly MemoryFault[]> {
  const { record, registry, sample } = call;
  const { mutates, aliases } = registry.effectsOf(record.name)!;
  const returned = Object.keys(sample).filter((name) => sample[name] instanceof HostTensor);
  const touched = returned.filter((name) => !mutates.includes(name) && isCountable(sample[name] as HostTensor));
  const outcome = await runOp(backend, {
    ...call,
    returned,
    after: (copyOf) =>
      touched.map(
        (name): Node => ({
          name: `${name}_plus_one`,
          op: "aten::add_.Tensor",
          args: [
            { name: "self", arg: copyOf(name) },
            { name: "other", arg: { kind: "int", value: 1 } },
          ],
          outputs: [{ kind: "none" }],
          origin: {},
        }),
      ),
  });
  // A write that cannot be done through a view is refused, which says nothing about the op.
  if (outcome.kind === "refused") return [];
  const differs = async (value: OutputValue | undefined, wanted: OutputValue | undefined): Promise<string | null> => {
    if (!(value instanceof HostTensor) || !(wanted instanceof HostTensor)) return null;
    return await compareTensor(value, wanted, toleranceOf(wanted.dtype));
  };
  const increased: OpSample = Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [
      name,
      touched.includes(name) ? plusOne(value as HostTensor) : value,
    ]),
  );
  const faults: MemoryFault[] = [];
  const count = outcome.values.length - returned.length;
  const isView = aliases.some(({ arg }) => touched.includes(arg));
  const views = isView ? await interpreted(record, registry, increased) : null;
  const wanted = isView ? (views?.tensors() ?? []) : expected;
  // Some views copy, which PyTorch decides call by call.
  for (let i = 0; i < count && !aliases.some(({ copies }) => copies === true); i++) {
    const problem = await differs(outcome.values[i], wanted[i]);
    if (problem === null) continue;
    const [does, declared] = isView ? ["does not follow", "declares"] : ["follows", "does not declare"];
    faults.push({
      what: `result ${i} of ${sampleText(sample)} on ${backend.name} ${does} a later write to an operand, and the schema ${declared} that they share memory: ${problem}`,
      advice: "Let the schema say what the kernel does: `Tensor(a)` for operand and result if they share memory.",
    });
  }
  for (const [i, name] of returned.entries()) {
    const result = aliases.find(({ arg }) => arg === name)?.output;
    const after = mutates.includes(name) ? (result === undefined ? undefined : expected[result]) : increased[name];
    const problem = await differs(outcome.values[count + i], after as OutputValue);
    if (problem === null) continue;
    faults.push({
      what: `\`${name}\` on ${backend.name} has other elements after the call of ${sampleText(sample)}: ${problem}`,
      advice: mutates.includes(name)
        ? `Write the result to \`${name}\`, as the schema declares.`
        : `Let the kernel leave \`${name}\` alone, or declare the write: \`Tensor(a!) ${name}\`.`,
    });
  }
  return faults;
}

function isCountable({ dtype }: HostTensor): boolean {
  return DTYPES[dtype].kind !== "bool" && DTYPES[dtype].kind !== "complex";
}

function plusOne({ dtype, shape, data }: HostTensor): HostTensor {
  const elements = Array.from(data as Iterable<number | bigint>, (x) => (typeof x === "bigint" ? x + 1n : x + 1));
  return tensorOf(dtype, shape, elements);
}
