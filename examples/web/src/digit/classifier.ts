import type { Model } from "@pt2/runtime";
import { type BackendId, type BackendOffer, backend, bestOf } from "../backends.ts";
import { onLiveDevice } from "../run/on-live-device.ts";
import { SIDE } from "./strokes.ts";

/** What the network says of a picture. */
export interface Verdict {
  /** By digit; they add up to 1. */
  readonly probabilities: readonly number[];
  /** Time of the forward, there and back. */
  readonly ms: number;
}

/** The network, ready to answer. */
export interface Classifier {
  classify(pixels: Float32Array): Promise<Verdict>;
  /** An answer that is under way is given first. */
  dispose(): Promise<void>;
}

/** Loads the trained network on a backend. */
export async function loadClassifier(id: BackendId): Promise<Classifier> {
  const [{ load, tensor }, chosen] = await Promise.all([import("@pt2/runtime"), backend(id)]);
  const model = await load(MODEL_URL, { backend: chosen });
  const image = (pixels: Float32Array) => tensor("float32", [1, 1, SIDE, SIDE], pixels);
  // The first forward plans and compiles, so it runs before the user draws.
  await forward(model, image(new Float32Array(SIDE * SIDE)));
  let answering: Promise<unknown> = Promise.resolve();
  const answer = async (pixels: Float32Array): Promise<Verdict> => {
    const begin = performance.now();
    const logits = await onLiveDevice(model, () => forward(model, image(pixels)));
    return { probabilities: softmax(logits), ms: performance.now() - begin };
  };
  return {
    classify(pixels) {
      const answered = answer(pixels);
      answering = answered.catch(() => {});
      return answered;
    },
    async dispose() {
      await answering;
      await model.dispose();
    },
  };
}

/** The committed model of the digits example. */
export const MODEL_URL: string = new URL("../../../digits/digits.pt2", import.meta.url).href;

/** The network on the best backend that runs it; the offers say why those before it do not. */
export async function loadOnBest(
  offered: readonly BackendOffer[],
): Promise<{ readonly classifier: Classifier; readonly offered: readonly BackendOffer[] }> {
  const best = bestOf(offered)!;
  try {
    return { classifier: await loadClassifier(best.id), offered };
  } catch (problem) {
    const [why] = String(problem instanceof Error ? problem.message : problem).split("\n");
    const missing = `${best.label} cannot run this network: ${why!.replace(/:$/, "")}.`;
    const others = offered.map((offer) => (offer === best ? { ...offer, missing } : offer));
    if (bestOf(others) === undefined) throw problem;
    return await loadOnBest(others);
  }
}

async function forward(model: Model, image: unknown): Promise<readonly number[]> {
  const logits = await model.forward({ image });
  return Array.from(await logits.read(), Number);
}

function softmax(logits: readonly number[]): readonly number[] {
  const best = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - best));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
