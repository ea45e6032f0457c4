import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { RATE, type Task, type Trained } from "./task.ts";

/** Trains on each line that it reads, and prints the loss. The module is the source of the exported program. */
const SCRIPT = `
import importlib.util, json, sys
import torch
import torch.nn.functional as F
program, source, name, threads, rate, adam = sys.argv[1:]
spec = importlib.util.spec_from_file_location("source", source)
loaded = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loaded)
torch.set_num_threads(int(threads))
module = getattr(loaded, name)()
module.load_state_dict(torch.export.load(program).state_dict)
module.eval()
given = json.loads(sys.stdin.readline())
x = torch.tensor(given["numbers"], dtype=getattr(torch, given["dtype"])).reshape(given["shape"])
y = torch.tensor(given["labels"])
optimizer = torch.optim.Adam(module.parameters(), lr=float(rate), fused=adam == "fused")
print("ready", flush=True)
for _ in sys.stdin:
    optimizer.zero_grad()
    loss = F.cross_entropy(module(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item(), flush=True)
`;

/** PyTorch in a process of its own, eager, with one of its implementations of Adam. */
export async function torch(
  python: string,
  threads: number,
  adam: "default" | "fused",
  { program, source, module, batch, labels }: Task,
): Promise<Trained> {
  const args = ["-W", "ignore", "-c", SCRIPT, program, source, module, `${threads}`, `${RATE}`, adam];
  const child = spawn(python, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("PyTorch's process has ended");
    return value;
  };
  const numbers = Array.from(batch.data as ArrayLike<number | bigint>, Number);
  child.stdin.write(`${JSON.stringify({ numbers, dtype: batch.dtype, shape: batch.shape, labels })}\n`);
  await next();
  return {
    async step() {
      child.stdin.write("\n");
      return Number(await next());
    },
    async release() {
      child.stdin.end();
    },
  };
}
