import { wasm } from "@pt2/backend-wasm/node";
import { torchvision } from "@pt2/ops-torchvision/wasm";
import { loadDetector } from "@pt2/vision/node";

for (const worker of [false, true]) {
  const backend = wasm({ worker });
  try {
    const d = await loadDetector("digits-and-shapes.pt2", { backend, ops: [torchvision] });
    const t = performance.now();
    const f = await d.detect("scenes/6.jpg");
    const u = performance.now();
    await d.detect("scenes/6.jpg");
    const v = performance.now();
    for (let i = 0; i < 10; i++) await d.detect("scenes/6.jpg");
    console.log(worker, f.length, u - t, v - u, (performance.now() - v) / 10);
    await d.dispose();
  } catch (e) {
    console.log(worker, String(e).slice(0, 300));
  }
  await backend.dispose();
}
