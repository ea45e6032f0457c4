import { Pt2Error } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import { failedCheckCode } from "@pt2/registry/on-demand";
import type { NativeFailure } from "./addon.ts";
import { LIBTORCH_ERRORS, type LibtorchErrorCode, libtorchError } from "./libtorch-errors.ts";

/** Finds the program's node for a node of a plan. */
export type NodeAt = (graph: number, node: number) => Node | undefined;

const REPORT = "Report the program: the native module should have run it, or refused it with a reason.";

/** The advice for each error of the native module. */
const ADVICE: { readonly [Code in LibtorchErrorCode]?: string } = {
  "libtorch.argument": "Check the argument against the op's schema; a program that has it was damaged or made by hand.",
  "libtorch.aoti": "Check that the package was compiled for this platform, device and version of PyTorch.",
  "libtorch.arithmetic": "Check the sizes of the inputs.",
  "libtorch.control": "The program is damaged: export it again.",
  "libtorch.device": "Choose one of the devices that `pt2 doctor` lists.",
  "libtorch.device-lost":
    "Restart the process. Run the program on the CPU to see what was wrong: most often it is an index out of range.",
  "libtorch.file": "Check that the file is still there and complete.",
  "libtorch.library": "Check that the library was built against this version of libtorch, for this platform.",
  "libtorch.no-op": "Load the library that registers the op (`libraries`), or give load() a handler for this op.",
  "libtorch.op-failed":
    "Check the inputs of the call: PyTorch refuses them in Python too. The message above is PyTorch's own.",
  "libtorch.out-of-memory": "Use smaller inputs, fewer runs at a time, or a device with more memory.",
  "libtorch.plan": "The program is damaged: export it again.",
  "libtorch.refused-op": "Give load() a handler for the op if you trust the program.",
  "libtorch.result": "Leave the result out of what is returned.",
  "libtorch.schema": "Use a version of PyTorch that this package was made for, or give load() a handler for the op.",
};

/**
 * Converts an error of the native module to the one that users get: with the op, its module and its Python line. Other
 * errors stay as they are.
 */
export function fromNative(error: unknown, nodeAt?: NodeAt): unknown {
  if (!isFailure(error)) return error;
  const node = error.graph === undefined || error.node === undefined ? undefined : nodeAt?.(error.graph, error.node);
  const code: LibtorchErrorCode =
    error.code in LIBTORCH_ERRORS ? (error.code as LibtorchErrorCode) : "libtorch.internal";
  const message = error.message.trim();
  if (node !== undefined && code === "libtorch.op-failed" && failedCheckCode(node) === "registry.assertion") {
    return new Pt2Error("registry.assertion", {
      what: message.split("\n")[0]!,
      where: describeNode(node),
      advice: "Check the inputs: the program was exported for inputs that meet this condition.",
      cause: error,
    });
  }
  const argument = error.arg === undefined ? "" : ` (argument \`${error.arg}\`)`;
  return libtorchError(code, {
    what: node === undefined ? message : `${node.op}${argument}: ${message}`,
    where: node === undefined ? undefined : describeNode(node),
    advice: ADVICE[code] ?? REPORT,
    details: { ...(node === undefined ? {} : { op: node.op }), ...(argument === "" ? {} : { argument: error.arg }) },
    cause: error,
  });
}

/** Runs a function and converts failures of the native module. */
export function located<T>(work: () => T, nodeAt?: NodeAt): T {
  try {
    return work();
  } catch (error) {
    throw fromNative(error, nodeAt);
  }
}

function isFailure(error: unknown): error is NativeFailure {
  return (
    error instanceof Error &&
    !(error instanceof Pt2Error) &&
    "code" in error &&
    String(error.code).startsWith("libtorch.")
  );
}
