import { expect, test } from "vitest";
import { describePage } from "./page.ts";

const DOUBLE = `
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&values)) { values[id.x] *= 2.0; }
}`;

describePage("a page with WebGPU", { webgpu: true }, (ready) => {
  test("has an adapter, and computes", async () => {
    const doubled = await ready.page.evaluate(async (code) => {
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter!.requestDevice();
      const compute = { module: device.createShaderModule({ code }) };
      const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute });
      const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
      const buffer = device.createBuffer({ size: 12, usage: STORAGE | COPY_SRC | COPY_DST });
      const staging = device.createBuffer({ size: 12, usage: MAP_READ | COPY_DST });
      device.queue.writeBuffer(buffer, 0, new Float32Array([1, -2, 0.5]));
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      const entries = [{ binding: 0, resource: { buffer } }];
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, 12);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(GPUMapMode.READ);
      return [...new Float32Array(staging.getMappedRange())];
    }, DOUBLE);
    expect(doubled).toEqual([2, -4, 1]);
  });
});

describePage("a page without WebGPU", {}, (ready) => {
  test("has no adapter", async () => {
    expect(await ready.page.evaluate(() => navigator.gpu.requestAdapter())).toBeNull();
  });
});
