import { wasm } from "@pt2/backend-wasm/node";
import { load, randn } from "@pt2/runtime/node";
import { demo } from "./ops.ts";

await using backend = wasm();
await using model = await load(new URL("../custom-ops.pt2", import.meta.url), { backend, ops: [demo] });
console.log(await model.forward(randn([3, 5], { seed: 0 })));
console.log(await model.explain());
