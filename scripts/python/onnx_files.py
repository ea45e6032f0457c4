"""Models of the benchmarks for ONNX Runtime. Needs onnx and onnxscript."""

import json
import os
import warnings

import torch
from torch.export import ExportedProgram

from pt2files import Call


def export_onnx(module: torch.nn.Module | ExportedProgram, call: Call, folder: str, name: str) -> str:
    """Writes NAME.onnx, and NAME.onnx.json with the names of its inputs and outputs; returns the path of the model."""
    path = os.path.join(folder, f"{name}.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(module, call.args, kwargs=call.kwargs, dynamo=True, opset_version=18, verbose=False)
    program.save(path, external_data=False)
    graph = program.model.graph
    names = {"inputs": [v.name for v in graph.inputs], "outputs": [v.name for v in graph.outputs]}
    with open(os.path.join(folder, f"{name}.onnx.json"), "w") as file:
        json.dump(names, file)
    return path
