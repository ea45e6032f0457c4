import type { ConvShape } from "../../packages/backend-wasm/src/kernels/conv/types.ts";

type Row = readonly [
  inChannels: number,
  outChannels: number,
  size: number,
  kernel: number,
  stride: number,
  groups?: number,
];

/** Every distinct convolution of ResNet-18 at 224x224. */
const resnet18: readonly Row[] = [
  [3, 64, 224, 7, 2],
  [64, 64, 56, 3, 1],
  [64, 128, 56, 3, 2],
  [64, 128, 56, 1, 2],
  [128, 128, 28, 3, 1],
  [128, 256, 28, 3, 2],
  [128, 256, 28, 1, 2],
  [256, 256, 14, 3, 1],
  [256, 512, 14, 3, 2],
  [256, 512, 14, 1, 2],
  [512, 512, 7, 3, 1],
];

/** The stem, depthwise and 1x1 convolutions of MobileNetV3-Large at 224x224. */
const mobilenetStem: readonly Row[] = [[3, 16, 224, 3, 2]];
const mobilenetDepthwise: readonly Row[] = [
  [16, 16, 112, 3, 1],
  [64, 64, 112, 3, 2],
  [72, 72, 56, 3, 1],
  [72, 72, 56, 5, 2],
  [120, 120, 28, 5, 1],
  [240, 240, 28, 3, 2],
  [200, 200, 14, 3, 1],
  [480, 480, 14, 3, 1],
  [672, 672, 14, 3, 1],
  [672, 672, 14, 5, 2],
  [960, 960, 7, 5, 1],
];
const mobilenetPointwise: readonly Row[] = [
  [16, 16, 112, 1, 1],
  [16, 64, 112, 1, 1],
  [64, 24, 56, 1, 1],
  [24, 72, 56, 1, 1],
  [72, 40, 28, 1, 1],
  [40, 120, 28, 1, 1],
  [240, 80, 14, 1, 1],
  [80, 480, 14, 1, 1],
  [112, 672, 14, 1, 1],
  [672, 160, 7, 1, 1],
  [160, 960, 7, 1, 1],
  [960, 160, 7, 1, 1],
];

/** The grouped convolutions of ResNeXt-50 32x4d. */
const resnext: readonly Row[] = [
  [128, 128, 56, 3, 1, 32],
  [256, 256, 56, 3, 2, 32],
  [256, 256, 28, 3, 1, 32],
  [512, 512, 14, 3, 1, 32],
  [1024, 1024, 7, 3, 1, 32],
];

function entry(kind: string, row: Row): readonly [string, ConvShape] {
  const [inChannels, outChannels, size, kernel, stride, groups = kind === "dw" ? row[0] : 1] = row;
  const name = `${kind} ${kernel}x${kernel}/${stride} ${inChannels}->${outChannels} @${size}`;
  const shape: ConvShape = {
    batch: 1,
    inChannels,
    outChannels,
    groups,
    input: [1, size, size],
    kernel: [1, kernel, kernel],
    stride: [1, stride, stride],
    dilation: [1, 1, 1],
    padding: [0, kernel >> 1, kernel >> 1],
  };
  return [name, shape];
}

/** Lists the name and shape of every row of the comparison. */
export function convRows(): readonly (readonly [string, ConvShape])[] {
  return [
    ...resnet18.map((row) => entry("resnet", row)),
    ...mobilenetStem.map((row) => entry("stem", row)),
    ...mobilenetDepthwise.map((row) => entry("dw", row)),
    ...mobilenetPointwise.map((row) => entry("mobilenet", row)),
    ...resnext.map((row) => entry("resnext", row)),
  ];
}
