// Fourier transforms: what is exported here becomes a member of `FourierKernels` in src/kernels/fourier/fourier.gen.ts, a module of
// its own that loads with the first of these ops. It computes in double precision, what @pt2/engine/host computes, bit by bit.
export {
  fourierFold,
  fourierRead,
  fourierReadHalf,
  fourierReadReal,
  fourierSpectrum,
  fourierWrite,
  fourierWriteHalf,
  fourierWriteReal,
} from "./fourier-lanes";
export { fourierMultiply, fourierOddStep } from "./fourier-odd";
export { fourierStep } from "./fourier-steps";
