import { load } from "@pt2/runtime/node";
import { difference, type Leaf } from "./difference.ts";
import { readCalls } from "./fixture.ts";
import { type Checked, SHARE, testRandomNetworks, usual, type Where } from "./random-networks.ts";

/** Compares the result of a network with PyTorch's, twice. */
async function check(path: string, where: Where): Promise<Checked> {
  const problems: string[] = [];
  const [call] = await readCalls(path);
  const [expected] = call!.expected as readonly [Extract<Leaf, { readonly shape: unknown }>];
  const scale = usual(expected.data as Float32Array);
  await using model = await load(`${path}.pt2`, where);
  let bytes = new Uint8Array();
  for (let run = 0; run < 2; run++) {
    const [actual] = (await model.runFlat(call!.inputs)) as readonly [typeof expected];
    const problem = difference(actual, expected, { float32: { rtol: SHARE, atol: SHARE * scale } });
    if (problem !== null) problems.push(`run ${run}: ${problem}`);
    bytes = actual.bytes.slice();
  }
  return { problems, bytes };
}

testRandomNetworks({ what: "results are PyTorch's", script: "random_networks.py", count: 40, check });
