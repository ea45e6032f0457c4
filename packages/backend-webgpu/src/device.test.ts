import { expect, test } from "vitest";
import { describeWithDevice } from "./device.test-helper.ts";

const DOUBLE = `
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&values)) { values[id.x] *= 2.0; }
}`;

for (const features of ["all", "none"] as const) {
  await describeWithDevice(
    `a device with ${features} of the optional features`,
    (device) => {
      test("computes", async () => {
        const module = device.createShaderModule({ code: DOUBLE });
        const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
        const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
        const buffer = device.createBuffer({ size: 400, usage });
        const staging = device.createBuffer({ size: 400, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        const input = Float32Array.from({ length: 100 }, (_, i) => i);
        device.queue.writeBuffer(buffer, 0, input);
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        const entries = [{ binding: 0, resource: { buffer } }];
        pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
        pass.dispatchWorkgroups(2);
        pass.end();
        encoder.copyBufferToBuffer(buffer, 0, staging, 0, 400);
        device.queue.submit([encoder.finish()]);
        await staging.mapAsync(GPUMapMode.READ);
        expect(new Float32Array(staging.getMappedRange().slice(0))).toEqual(input.map((x) => 2 * x));
        staging.destroy();
        buffer.destroy();
      });

      test("has them", () => {
        const has = (["shader-f16", "subgroups", "timestamp-query"] as const).some((name) => device.features.has(name));
        if (features === "none") expect(has).toBe(false);
        expect(device.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(256);
      });
    },
    features,
  );
}
