import type { Backend } from "@pt2/backend";
import { openProgram, tensor } from "@pt2/runtime/node";
import { adam, createTrainer } from "@pt2/train";
import { RATE, type Task, type Trained } from "./task.ts";

/** The trainer of this repository on a backend. */
export async function ours(backend: Backend, { program, input, batch, labels }: Task): Promise<Trained> {
  const trainer = await createTrainer(await openProgram(program), {
    backend,
    optimizer: adam({ lr: RATE }),
    loss: { loss: "aten::cross_entropy_loss" },
    shapes: { [input]: batch.shape },
  });
  const target = tensor("int64", [labels.length], labels);
  return {
    step: async () => (await trainer.train([batch, target])).loss,
    release: () => trainer.dispose(),
  };
}
