import { numbers } from "../engine/access.ts";
import type { WasmKernel } from "../engine/kernel.ts";

/** `tril_indices(row, col, offset)` and `triu_indices`: rows of the positions, then their columns. */
function triangleIndices(op: string, inside: (row: number, column: number) => boolean): WasmKernel {
  return {
    ops: [op],
    prepare(call) {
      const [rows, columns, offset] = ["row", "col", "offset"].map((name) => call.arg<number>(name)) as [
        number,
        number,
        number,
      ];
      const out = call.output();
      const count = out.shape[1]!;
      call.step(() => {
        const to = numbers(call.heap, out);
        let at = 0;
        for (let row = 0; row < rows; row++) {
          for (let column = 0; column < columns; column++) {
            if (!inside(row + offset, column)) continue;
            to.set(at, row);
            to.set(count + at, column);
            at++;
          }
        }
      });
    },
  };
}

export const trilIndices: WasmKernel = triangleIndices("aten::tril_indices", (row, column) => column <= row);
export const triuIndices: WasmKernel = triangleIndices("aten::triu_indices", (row, column) => column >= row);
