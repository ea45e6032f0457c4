import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Batch, DIGITS, RATE, type Trained } from "./task.ts";

/** Trains on each line that it reads, and prints the loss. The module is the source of the exported program. */
const SCRIPT = `
import importlib.util, json, sys
import torch
import torch.nn.functional as F
spec = importlib.util.spec_from_file_location("train", sys.argv[2])
source = importlib.util.module_from_spec(spec)
spec.loader.exec_module(source)
torch.set_num_threads(int(sys.argv[3]))
module = source.Digits()
module.load_state_dict(torch.export.load(sys.argv[1]).state_dict)
module.eval()
given = json.loads(sys.stdin.readline())
x = torch.tensor(given["numbers"]).reshape(-1, 1, 8, 8)
y = torch.tensor(given["classes"])
optimizer = torch.optim.Adam(module.parameters(), lr=float(sys.argv[4]), fused=sys.argv[5] == "fused")
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
  { numbers, classes }: Batch,
): Promise<Trained> {
  const source = DIGITS.replace(/digits\.pt2$/, "train.py");
  const args = ["-W", "ignore", "-c", SCRIPT, DIGITS, source, `${threads}`, `${RATE}`, adam];
  const child = spawn(python, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("PyTorch's process has ended");
    return value;
  };
  child.stdin.write(`${JSON.stringify({ numbers: Array.from(numbers), classes })}\n`);
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
