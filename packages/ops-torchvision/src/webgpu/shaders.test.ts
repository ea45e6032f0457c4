import { programOf, registryOf } from "@pt2/conformance";
import { describe, expect, it } from "vitest";
import { torchvision } from "../webgpu.ts";
import { gpu, noGpu } from "./gpu.test-helper.ts";

const REGIONS = "user_input %x: f32[2, 6, 9, 7]\n    user_input %r: f32[5, 5]";
const SIZES = "input=%x, rois=%r, spatial_scale=0.5, pooled_height=3, pooled_width=2";

/** Programs by the names of their files, and the shaders that each runs. */
const PROGRAMS: Readonly<Record<string, readonly [body: string, shaders: readonly string[]]>> = {
  nms: [
    `user_input %d: f32[2500, 4]
    user_input %s: f32[2500]
    nms: %o: i64[2500], %k: bool[2500] = pt2_torchvision::nms_kept(dets=%d, scores=%s, iou_threshold=0.5)
    return %o, %k`,
    ["nms scores", "nms order", "nms overlaps", "nms kept", "nms overlaps", "nms kept"],
  ],
  "roi-align": [
    `${REGIONS}
    %y: f32[5, 6, 3, 2] = torchvision::roi_align(${SIZES}, sampling_ratio=0, aligned=true)
    return %y`,
    ["roi_align"],
  ],
  "ps-roi-align": [
    `${REGIONS}
    align: %y: f32[5, 1, 3, 2], %m: i32[5, 1, 3, 2] = torchvision::ps_roi_align(${SIZES}, sampling_ratio=2)
    return %y, %m`,
    ["ps_roi_align"],
  ],
  "roi-pool": [
    `${REGIONS}
    pool: %y: f32[5, 6, 3, 2], %m: i32[5, 6, 3, 2] = torchvision::roi_pool(${SIZES})
    return %y, %m`,
    ["roi_pool"],
  ],
  "ps-roi-pool": [
    `${REGIONS}
    pool: %y: f32[5, 1, 3, 2], %m: i32[5, 1, 3, 2] = torchvision::ps_roi_pool(${SIZES})
    return %y, %m`,
    ["ps_roi_pool"],
  ],
  "deformed-columns": [
    `user_input %x: f32[2, 6, 9, 7]
    user_input %o: f32[2, 36, 4, 3]
    user_input %m: f32[2, 18, 4, 3]
    %y: f32[2, 12, 9, 6] = pt2_torchvision::deformed_columns(input=%x, offset=%o, mask=%m, kernel_h=3, kernel_w=3, stride_h=2, stride_w=2, pad_h=0, pad_w=0, dilation_h=1, dilation_w=1, offset_groups=2, use_mask=true)
    return %y`,
    // The columns lie as a product reads them; a result of a program does not.
    ["deformed_columns", "elementwise"],
  ],
};

describe.skipIf(gpu === null)(`shaders of torchvision's ops${noGpu}`, () => {
  it.each(Object.entries(PROGRAMS))(
    "those of %s are those of the golden file, which `vitest -u` writes",
    async (file, [body, shaders]) => {
      const registry = registryOf([], [torchvision]);
      const executable = await gpu!.compile({ program: programOf(body), weights: new Map(), registry });
      const [steps, ...texts] = (await executable.explain()).split("\n\n// ");
      await executable.dispose();
      const ran = steps!.split("\n").flatMap((line) => line.split(" → ")[1]?.split(", ") ?? []);
      expect(ran).toEqual(shaders);
      const own = texts.filter((text) => !text.startsWith("elementwise"));
      await expect(`${own.map((text) => `// ${text.trim()}`).join("\n\n")}\n`).toMatchFileSnapshot(
        `${file}.golden.wgsl`,
      );
    },
  );
});
