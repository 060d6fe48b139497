"""Halves, by the model of tests/isa/gcn."""
import importlib.util
from pathlib import Path

_path = Path(__file__).resolve().parents[1] / "isa" / "gcn" / "numbers_model.py"
_spec = importlib.util.spec_from_file_location("numbers_model", _path)
_model = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_model)
f16_add, f16_mul, f16_fma, f16_value = _model.F16.add, _model.F16.mul, _model.F16.fma, _model.F16.value
