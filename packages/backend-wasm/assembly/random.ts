// Random numbers: what is exported here becomes a member of `RandomKernels` in src/kernels/random/random.gen.ts, a module of its own
// that loads with the first of these ops.
export { normalBlocks } from "./box-muller";
export { drawRemainders, drawTrials, drawUniforms } from "./draws";
export { mersenneBlocks } from "./mersenne";
