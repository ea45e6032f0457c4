import type { Backend, Executable } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { validate } from "@pt2/graph";
import { expect, it } from "vitest";
import { place } from "./geometry.ts";
import { workOf } from "./image-ops.ts";
import { imageProgram } from "./image-program.ts";
import { ImagePrograms } from "./image-programs.ts";
import { parsePreset } from "./preset.ts";

it("the program of every combination of steps is valid", () => {
  for (const channels of [null, 1, 3, 4] as const) {
    for (const resize of [null, "aten::_upsample_bilinear2d_aa", "aten::upsample_bicubic2d"] as const) {
      for (const put of [false, true]) {
        for (const normalize of [false, true]) {
          for (const bytes of [false, true]) {
            expect(validate(imageProgram({ channels, resize, bytes, put, normalize }))).toEqual([]);
          }
        }
      }
    }
  }
});

/** The backend, and every program that it compiles. */
function watched(backend: Backend): { readonly backend: Backend; readonly executables: readonly Executable[] } {
  const executables: Executable[] = [];
  const compile: Backend["compile"] = async (request) => {
    const made = await backend.compile(request);
    executables.push(made);
    return made;
  };
  return { backend: Object.assign(Object.create(backend), { compile }) as Backend, executables };
}

it("pictures of a hundred sizes are resized by one program, whose memory does not grow with the number of sizes", async () => {
  const own = wasm({ worker: false });
  const { backend, executables } = watched(own);
  const programs = new ImagePrograms(backend);
  const image = { height: 32, width: 32, fit: "letterbox", fill: 0.5, mean: [0, 0, 0], std: [1, 1, 1] };
  const preset = parsePreset({ version: 1, task: "object-detection", image }).image;
  const look = async (width: number, height: number): Promise<void> => {
    const picture = { data: new Uint8Array(width * height * 3), width, height };
    const made = await programs.run(picture, workOf(picture, place(picture, preset), preset));
    expect(made.shape).toEqual([1, 3, 32, 32]);
    made.dispose();
  };
  const memory = async (): Promise<number> => (await executables[0]!.memory()).reserved;
  // More sizes than plans are kept for, the largest ones.
  for (let i = 0; i < 20; i++) await look(139 + i, 100);
  const ofLargest = await memory();
  const lookAtMany = async (): Promise<void> => {
    for (let i = 0; i < 150; i++) await look(1 + ((i * 7919) % 158), 1 + ((i * 104729) % 100));
  };
  await lookAtMany();
  const before = await memory();
  // Every part of the memory has room for the largest picture that it was needed for, and a quarter to spare.
  expect(before).toBeLessThanOrEqual(2 * ofLargest);
  await lookAtMany();
  expect(await memory()).toBeLessThanOrEqual(before);
  // Square pictures need no padding, and one was as large as the input.
  expect(executables.length).toBeLessThanOrEqual(4);
  await programs.dispose();
  await expect(programs.run({ data: new Uint8Array(3), width: 1, height: 1 }, {})).rejects.toMatchObject({
    code: "vision.disposed",
  });
  await own.dispose();
});
