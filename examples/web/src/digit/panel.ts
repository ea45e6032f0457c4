import { type BackendOffer, bestOf, offers } from "../backends.ts";
import { backendChoice } from "../page/backend-choice.ts";
import { byId, fill } from "../page/dom.ts";
import { errorCard } from "../page/error-card.ts";
import { latest } from "../page/latest.ts";
import { digitBars } from "./bars.ts";
import { type Classifier, loadClassifier, loadOnBest } from "./classifier.ts";
import { padOn } from "./pad.ts";
import { drawPixels } from "./preview.ts";
import { toPixels } from "./strokes.ts";

/** How long a drawing rests before its answer is read out. */
const PAUSE_MS = 600;

/** The panel in which a digit is drawn and read. */
export async function initDigitPanel(): Promise<void> {
  const [answer, status, spoken] = [byId("digit-answer"), byId("digit-status"), byId("digit-spoken")];
  const hint = byId("digit-hint");
  const seen = byId<HTMLCanvasElement>("digit-seen");
  const bars = digitBars();
  byId("digit-bars").append(bars.element);
  bars.show(null);
  drawPixels(seen, toPixels([]));

  let classifier: Classifier | undefined;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const show = (probabilities: readonly number[] | null): void => {
    bars.show(probabilities);
    const best = probabilities === null ? null : Math.max(...probabilities);
    const digit = best === null ? "?" : String(probabilities!.indexOf(best));
    answer.textContent = digit;
    answer.classList.toggle("empty", best === null);
    clearTimeout(pause);
    pause = setTimeout(() => {
      spoken.textContent = best === null ? "" : `It looks like a ${digit}, ${(100 * best).toFixed(0)} % sure.`;
    }, PAUSE_MS);
  };

  const fail = (title: string, problem: unknown): void => {
    status.textContent = "";
    fill(byId("digit-problem"), errorCard(title, problem));
  };
  const answerTo = latest(
    async (pixels: Float32Array) => {
      const asked = classifier;
      if (asked === undefined) return;
      const { probabilities, ms } = await asked.classify(pixels);
      // The pad is empty again, or another backend reads it now.
      if (pad.strokes.length === 0 || asked !== classifier) return;
      show(probabilities);
      status.textContent = `Answered in ${ms.toFixed(1)} ms`;
    },
    (problem) => fail("The network cannot answer", problem),
  );
  const read = (): void => {
    const pixels = toPixels(pad.strokes);
    drawPixels(seen, pixels);
    hint.hidden = pad.strokes.length > 0;
    if (pad.strokes.length === 0) show(null);
    else answerTo(pixels);
  };
  const pad = padOn(byId<HTMLCanvasElement>("digit-pad"), read);
  byId("digit-clear").addEventListener("click", () => pad.clear());
  byId("digit-undo").addEventListener("click", () => pad.undo());

  let changes = 0;
  const change = async (label: string, load: () => Promise<readonly [Classifier, string]>): Promise<void> => {
    const mine = ++changes;
    status.textContent = `Loading the network on ${label} …`;
    const begin = performance.now();
    try {
      const [loaded, used] = await load();
      if (mine !== changes) return await loaded.dispose();
      const before = classifier;
      classifier = loaded;
      status.textContent = `Loaded on ${used} in ${(performance.now() - begin).toFixed(0)} ms`;
      fill(byId("digit-problem"));
      read();
      await before?.dispose();
    } catch (problem) {
      if (mine === changes) fail(`The network cannot run on ${label}`, problem);
    }
  };
  let offered = await offers();
  await change(bestOf(offered)!.label, async () => {
    const best = await loadOnBest(offered);
    offered = best.offered;
    return [best.classifier, bestOf(offered)!.label];
  });
  const choose = ({ id, label }: BackendOffer): void =>
    void change(label, async () => [await loadClassifier(id), label]);
  backendChoice(byId("digit-backend"), offered, choose);
}
