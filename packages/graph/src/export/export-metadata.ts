import type { ModuleFrame, NodeMetadata } from "@pt2/format";
import type { NodeOrigin } from "../ir.ts";

const LINE = /^(?<file>.*):(?<line>\d+)(?:, in (?<fn>.*))?$/;
const ROOT: ModuleFrame = { key: "L__self__", path: "", type: "torch.nn.modules.module.Module" };

/** Writes where a node comes from as PyTorch does: its module, inside the root module, and its Python line. */
export function exportMetadata({ modulePath, moduleClass = "", line, code }: NodeOrigin): NodeMetadata {
  const stackTrace = line === undefined ? undefined : traceOf(line, code);
  const nnModuleStack = modulePath === undefined ? [] : stackOf(modulePath, moduleClass);
  const raw = new Map<string, string>();
  if (stackTrace !== undefined) raw.set("stack_trace", stackTrace);
  if (nnModuleStack.length > 0) {
    raw.set("nn_module_stack", nnModuleStack.map(({ key, path, type }) => `${key},${path},${type}`).join(";"));
  }
  return { stackTrace, nnModuleStack, raw };
}

function traceOf(text: string, code: string | undefined): string {
  const { file = text, line = "0", fn } = LINE.exec(text)?.groups ?? {};
  const frame = `File "${file}", line ${line}${fn === undefined ? "" : `, in ${fn}`}`;
  return code === undefined ? frame : `${frame}\n    ${code}`;
}

function stackOf(path: string, type: string): readonly ModuleFrame[] {
  if (path === "") return [{ ...ROOT, type }];
  return [ROOT, { key: `L__self___${path.replaceAll(".", "_")}`, path, type }];
}
