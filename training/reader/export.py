"""From trained parameters to the folder that is shipped: an ONNX network with 8-bit weights, and its vocabulary."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lens_lsp.judge.reader.cross_encoder import SCHEMA
from training.reader.model import Reader

OPSET = 17


class _Network(nn.Module):
    """The reader with the mask as numbers, as the shipped network takes it."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, ids: Tensor, kinds: Tensor, real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        stated, start, end = self.reader(ids, kinds, real > 0)
        return stated, start, end


def export(parameters: Mapping[str, Tensor], vocabulary: Path, out: Path, about: Mapping[str, Any]) -> None:
    """Write ``reader.onnx``, ``vocab.txt`` and ``reader.json`` to ``out``; ``about`` goes into the last."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    reader = Reader()
    reader.load_state_dict(dict(parameters))
    reader.eval()
    out.mkdir(parents=True, exist_ok=True)
    ids = torch.tensor([[101, 2054, 2003, 102, 1037, 102, 2009, 2003, 1012, 102]]).repeat(2, 1)
    kinds = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1, 1, 1]]).repeat(2, 1)
    with tempfile.TemporaryDirectory() as scratch:
        whole, prepared = Path(scratch, "whole.onnx"), Path(scratch, "prepared.onnx")
        axes = {0: "rows", 1: "tokens"}
        torch.onnx.export(
            _Network(reader),
            (ids, kinds, torch.ones_like(ids)),
            str(whole),
            input_names=["ids", "kinds", "real"],
            output_names=["states", "start", "end"],
            dynamic_axes={"ids": axes, "kinds": axes, "real": axes, "states": {0: "rows"}, "start": axes, "end": axes},
            opset_version=OPSET,
            dynamo=False,
        )
        quant_pre_process(str(whole), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(
            str(prepared),
            str(out / "reader.onnx"),
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
            weight_type=QuantType.QInt8,
            per_channel=True,
            extra_options={"MatMulConstBOnly": True},
        )
    shutil.copyfile(vocabulary, out / "vocab.txt")
    (out / "reader.json").write_text(json.dumps({"schema": SCHEMA, **about}, indent=2) + "\n", "utf-8")
