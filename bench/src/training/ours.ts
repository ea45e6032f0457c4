import type { Backend } from "@pt2/backend";
import { openProgram } from "@pt2/runtime/node";
import { adam, createTrainer } from "@pt2/train";
import { type Batch, DIGITS, RATE, type Trained } from "./task.ts";

/** The trainer of this repository on a backend. */
export async function ours(backend: Backend, { pictures, labels }: Batch): Promise<Trained> {
  const trainer = await createTrainer(await openProgram(DIGITS), {
    backend,
    optimizer: adam({ lr: RATE }),
    loss: { loss: "aten::cross_entropy_loss" },
    shapes: { image: pictures.shape },
  });
  return {
    step: async () => (await trainer.train([pictures, labels])).loss,
    release: () => trainer.dispose(),
  };
}
