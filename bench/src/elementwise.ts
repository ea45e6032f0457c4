// Generated elementwise kernels against plain JavaScript loops and against a kernel that only copies, one thread.
// usage: node -C dev --import tsx bench/src/elementwise.ts [elements]
import { type ScalarExpr, scalar as s, simplify, typeExpr } from "@pt2/registry/scalar";
import { createElementwiseCompiler } from "../../packages/backend-wasm/src/codegen/compiler.ts";
import { coalesce, innerModes, newBlock, writeBlock } from "../../packages/backend-wasm/src/codegen/geometry.ts";
import { liftNumbers } from "../../packages/backend-wasm/src/codegen/lift-numbers.ts";

const elements = Number(process.argv[2] ?? 100_000);
const memory = new WebAssembly.Memory({ initial: Math.ceil((12 * elements) / 65536) + 2 });
const [x, y] = [s.input(0), s.input(1)];
const GELU_TANH = Math.sqrt(2 / Math.PI);

interface Case {
  readonly name: string;
  readonly expr: ScalarExpr;
  readonly inputs: number;
  readonly plain: (x: number, y: number) => number;
}

const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));

const cases: readonly Case[] = [
  { name: "copy", expr: x, inputs: 1, plain: (a) => a },
  { name: "add + relu", expr: s.relu(s.add(x, y)), inputs: 2, plain: (a, b) => Math.max(a + b, 0) },
  {
    name: "hardswish",
    expr: s.div(s.mul(x, s.clamp(s.add(x, 3), 0, 6)), 6),
    inputs: 1,
    plain: (a) => (a * Math.min(Math.max(a + 3, 0), 6)) / 6,
  },
  { name: "exp", expr: s.exp(x), inputs: 1, plain: Math.exp },
  { name: "sigmoid", expr: s.sigmoid(x), inputs: 1, plain: sigmoid },
  { name: "silu", expr: s.mul(x, s.sigmoid(x)), inputs: 1, plain: (a) => a * sigmoid(a) },
  { name: "tanh", expr: s.tanh(x), inputs: 1, plain: Math.tanh },
  {
    name: "gelu(erf)",
    expr: s.mul(s.mul(x, 0.5), s.add(1, s.erf(s.mul(x, Math.SQRT1_2)))),
    inputs: 1,
    plain: (a) => 0.5 * a * (1 + abramowitzErf(a * Math.SQRT1_2)),
  },
  {
    name: "gelu(tanh)",
    expr: s.mul(s.mul(x, 0.5), s.add(1, s.tanh(s.mul(GELU_TANH, s.add(x, s.mul(0.044715, s.pow(x, 3))))))),
    inputs: 1,
    plain: (a) => 0.5 * a * (1 + Math.tanh(GELU_TANH * (a + 0.044715 * a * a * a))),
  },
  { name: "log", expr: s.log(s.abs(x)), inputs: 1, plain: (a) => Math.log(Math.abs(a)) },
  { name: "sin", expr: s.sin(x), inputs: 1, plain: Math.sin },
];

/** Computes erf as JavaScript programs do without Math.erf. */
function abramowitzErf(v: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(v));
  const tail = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(v) * (1 - tail * Math.exp(-v * v));
}

/** Measures nanoseconds per element: the best of several rounds, as other processes use the machine too. */
function time(run: () => void): number {
  for (let i = 0; i < 30; i++) run();
  let best = Number.POSITIVE_INFINITY;
  const stop = performance.now() + 400;
  while (performance.now() < stop) {
    const start = performance.now();
    for (let i = 0; i < 10; i++) run();
    best = Math.min(best, (performance.now() - start) / 10);
  }
  return (best * 1e6) / elements;
}

const compiler = createElementwiseCompiler(memory);
const addresses = [1024, 1024 + 4 * elements, 1024 + 8 * elements];
const [left, right, out] = addresses.map((at) => new Float32Array(memory.buffer, at, elements)) as [
  Float32Array,
  Float32Array,
  Float32Array,
];
left.set(Float32Array.from({ length: elements }, (_, i) => 6 * Math.sin(i)));
right.set(Float32Array.from({ length: elements }, (_, i) => Math.cos(i)));

console.log(`${elements} float32 elements; GB/s counts what is read and written`);
let copy = 0;
for (const { name, expr, inputs, plain } of cases) {
  const operands = Array.from({ length: inputs }, () => "float32" as const);
  const output = simplify(typeExpr(expr, { compute: "float32", operands, result: "float32" }));
  const geometry = coalesce(
    [elements],
    [...operands, 0].map(() => [1]),
    inputs,
  );
  const { outputs, numbers } = liftNumbers([output], inputs);
  const pointers = [...addresses.slice(0, inputs), addresses[2] as number];
  const all = [...operands, "float32" as const];
  writeBlock(new Int32Array(memory.buffer), 0, newBlock(geometry, all, numbers), pointers);
  const dtypes = numbers.map(({ dtype }) => dtype);
  const kernel = compiler.add({ inputs: operands, outputs, inner: innerModes(geometry, all), numbers: dtypes });
  const loop = new Function(
    "plain",
    "x",
    "y",
    "out",
    "for (let i = 0; i < out.length; i++) out[i] = plain(x[i], y[i]);",
  );
  const [ours, theirs] = [time(() => kernel.run(0, 0, elements)), time(() => loop(plain, left, right, out))];
  const speed = (4 * (inputs + 1)) / ours;
  copy ||= speed;
  console.log(
    name.padEnd(12),
    `${ours.toFixed(3)} ns/element ${speed.toFixed(1).padStart(5)} GB/s (${((100 * speed) / copy).toFixed(0)}% of copy),`,
    `JavaScript ${theirs.toFixed(2)} ns/element, ${(theirs / ours).toFixed(1)}×`,
  );
}
