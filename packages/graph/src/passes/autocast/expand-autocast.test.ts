import { describe, expect, it } from "vitest";
import { expectPass, program } from "../../program.test-helper.ts";
import { print } from "../../text/print-program.ts";
import { expandAutocast } from "./expand-autocast.ts";

const region = (enabled: boolean, body: string, device = "cpu"): string =>
  `user_input %x: f32[2, 2]
   user_input %w: f64[2, 2]
   auto: %y: bf16[2, 2] = higher_order::wrap_with_autocast("${device}", torch.bfloat16, ${enabled}, true, graph g(%x: f32[2, 2], %w: f64[2, 2]) {
     ${body}
   }, %x, %w)
   return %y`;

describe("expandAutocast", () => {
  it("expandAutocast casts the operands of matmuls, but not float64", () => {
    expectPass(
      expandAutocast,
      region(
        true,
        `%a: bf16[2, 2] = aten::mm(%x, mat2=%x)
         %b: bf16[2, 2] = aten::linear(input=%a, weight=%x, bias=none)
         %c: f64[2, 2] = aten::mm(%w, mat2=%w)
         %d: f32[2, 2] = aten::exp(%x)
         return %b`,
      ),
      region(
        false,
        `%to: bf16[2, 2] = aten::to.dtype(%x, dtype=torch.bfloat16)
         %a: bf16[2, 2] = aten::mm(%to, mat2=%to)
         %to_1: bf16[2, 2] = aten::to.dtype(%x, dtype=torch.bfloat16)
         %b: bf16[2, 2] = aten::linear(input=%a, weight=%to_1, bias=none)
         %c: f64[2, 2] = aten::mm(%w, mat2=%w)
         %d: f32[2, 2] = aten::exp(%x)
         return %b`,
      ),
    );
  });

  it("expandAutocast casts to float32 and to the widest operand", () => {
    expectPass(
      expandAutocast,
      region(
        true,
        `%a: bf16[2, 2] = aten::mm(%x, mat2=%x)
         %b: f32[4, 2] = aten::cat([%a, %x])
         %c: bf16[4, 2] = aten::cat([%a, %a])
         %d: f32[] = aten::prod(%a)
         return %a`,
      ),
      region(
        false,
        `%to: bf16[2, 2] = aten::to.dtype(%x, dtype=torch.bfloat16)
         %a: bf16[2, 2] = aten::mm(%to, mat2=%to)
         %to_1: f32[2, 2] = aten::to.dtype(%a, dtype=torch.float32)
         %b: f32[4, 2] = aten::cat([%to_1, %x])
         %c: bf16[4, 2] = aten::cat([%a, %a])
         %to_2: f32[2, 2] = aten::to.dtype(%a, dtype=torch.float32)
         %d: f32[] = aten::prod(%to_2)
         return %a`,
      ),
    );
  });

  it("expandAutocast casts what is composed of matmuls, and powers from the second one on", () => {
    const calls = [
      ["aten::matrix_power(%x, n=2)", true],
      ["aten::linalg_matrix_power(%x, n=5)", true],
      ["aten::matrix_power(%x, n=1)", false],
      ["aten::matrix_power(%x, n=-1)", false],
      ["aten::rnn_tanh_cell(%x, hx=%x, w_ih=%x, w_hh=%x)", true],
      ["aten::exp(%x)", false],
    ] as const;
    for (const [call, casts] of calls) {
      const expanded = expandAutocast(program(region(true, `%a: bf16[2, 2] = ${call}\nreturn %a`)));
      expect(print(expanded).includes("aten::to.dtype"), call).toBe(casts);
    }
  });

  it("expandAutocast casts what a call multiplies as matrices, and neither what broadcasts nor what is summed up", () => {
    const calls = [
      ['aten::einsum(equation="ij,jk->ik", tensors=[%x, %x])', true],
      ['aten::einsum(equation="...i,...i", tensors=[%x, %x])', true],
      ['aten::einsum(equation="i..., i... -> ...", tensors=[%x, %x])', true],
      ['aten::einsum(equation="ij,kl->ijkl", tensors=[%x, %x])', false],
      ['aten::einsum(equation="...i,...i->...i", tensors=[%x, %x])', false],
      ['aten::einsum(equation="ij,kl->jl", tensors=[%x, %x])', false],
      ['aten::einsum(equation="ij->ji", tensors=[%x])', false],
      ['aten::einsum(equation="ij,ij->j", tensors=[%x, %row])', false],
      ['aten::einsum(equation="ij,jk->ik", tensors=[%x])', false],
      ["aten::inner(%x, other=%x)", true],
      ["aten::inner(%x, other=%row)", true],
      ["aten::inner(%row, other=%row)", false],
      ["aten::tensordot(%x, other=%x, dims_self=[0], dims_other=[1])", true],
      ["aten::tensordot(%x, other=%x, dims_self=[0, -1], dims_other=[1, 0])", false],
      ["aten::tensordot(%row, other=%row, dims_self=[1], dims_other=[1])", false],
    ] as const;
    for (const [call, casts] of calls) {
      const body = `%row: f32[1, 2] = aten::exp(%x)\n%a: f32[2, 2] = ${call}\nreturn %a`;
      const expanded = expandAutocast(program(region(true, body)));
      expect(print(expanded).includes("aten::to.dtype"), call).toBe(casts);
    }
  });

  it("expandAutocast splits products of more than two operands, of which only some are of matrices", () => {
    expectPass(
      expandAutocast,
      region(true, `%a: f32[2, 2] = aten::einsum(equation="...ij,jk,...k->...ik", tensors=[%x, %x, %x])\nreturn %a`),
      region(
        false,
        `%to: bf16[2, 2] = aten::to.dtype(%x, dtype=torch.bfloat16)
         %einsum: bf16[2, 2] = aten::einsum(equation="ij,jk->ik", tensors=[%to, %to])
         %a: f32[2, 2] = aten::einsum(equation="ik,ak->aik", tensors=[%einsum, %x])
         return %a`,
      ),
    );
  });

  it("expandAutocast splits calls of which only some parts are products", () => {
    expectPass(
      expandAutocast,
      region(
        true,
        `%a: f32[2, 2] = aten::bilinear(input1=%x, input2=%x, weight=%x, bias=%x)
         %b: f32[2, 2] = aten::linalg_matrix_power(%x, n=-3)
         %c: f32[2, 2] = aten::linalg_pinv(%x, rcond=0.1)
         return %a`,
      ),
      region(
        false,
        `%to_1: bf16[2, 2] = aten::to.dtype(%x, dtype=torch.bfloat16)
         %bilinear: bf16[2, 2] = aten::bilinear(input1=%to_1, input2=%to_1, weight=%to_1)
         %to: f32[2, 2] = aten::to.dtype(%bilinear, dtype=torch.float32)
         %a: f32[2, 2] = aten::add.Tensor(%to, other=%x)
         %linalg_inv: f32[2, 2] = aten::linalg_inv(A=%x)
         %to_2: bf16[2, 2] = aten::to.dtype(%linalg_inv, dtype=torch.bfloat16)
         %b: f32[2, 2] = aten::linalg_matrix_power(%to_2, n=3)
         %linalg_pinv: f32[2, 2] = aten::linalg_pinv(%x, rcond=0.1)
         %c: bf16[2, 2] = aten::to.dtype(%linalg_pinv, dtype=torch.bfloat16)
         return %a`,
      ),
    );
  });

  it("expandAutocast casts what a recurrent layer multiplies, and its state where oneDNN computes the layer", () => {
    const cell = "aten::gru_cell(%x, hx=%x, w_ih=%x, w_hh=%x)";
    expectPass(
      expandAutocast,
      region(true, `%a: f32[2, 2] = ${cell}\nreturn %a`),
      region(
        false,
        `%to: bf16[2, 2] = aten::to.dtype(%x, dtype=torch.bfloat16)
         %a: f32[2, 2] = aten::gru_cell(%to, hx=%x, w_ih=%to, w_hh=%to)
         return %a`,
      ),
    );
    const lstm = (params: number): string =>
      `lstm: %a: f32[2, 2], %b: f32[2, 2], %c: f32[2, 2] = aten::lstm.input(%x, hx=[%x, %x], params=[${new Array(params).fill("%x")}], has_biases=false, num_layers=1, dropout=0.0, train=false, bidirectional=true, batch_first=false)`;
    const states = [4, 6].map((params) => {
      const expanded = print(expandAutocast(program(region(true, `${lstm(params)}\nreturn %a`))));
      return /hx=\[(%\w+), /.exec(expanded)?.[1];
    });
    expect(states).toEqual(["%to", "%x"]);
  });

  it("expandAutocast casts to float32 inside what is composed of ops with rules", () => {
    const call = (mode: string, sides: number): string =>
      `aten::pad(%a, pad=[${new Array(sides).fill(1)}], mode="${mode}")`;
    const bodies = [
      ["replicate", 4],
      ["reflect", 4],
      ["reflect", 6],
      ["constant", 4],
      ["circular", 4],
    ] as const;
    const casts = bodies.map(([mode, sides]) => {
      const body = `%a: bf16[2, 2] = aten::mm(%x, mat2=%x)\n%b: f32[4, 4] = ${call(mode, sides)}\nreturn %a`;
      return print(expandAutocast(program(region(true, body)))).includes("dtype=torch.float32");
    });
    expect(casts).toEqual([true, true, false, false, false]);
  });

  it("expandAutocast keeps disabled regions and other devices", () => {
    const body = `%a: bf16[2, 2] = aten::mm(%x, mat2=%x)
         return %a`;
    for (const text of [region(false, body), region(true, body, "cuda")]) {
      const input = program(text);
      expect(expandAutocast(input)).toBe(input);
    }
  });
});
