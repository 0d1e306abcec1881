"""The reader that is shipped: how it is trained, exported, calibrated and measured (`python -m training.reader`).

Not in the wheel. What it does and needs stands in docs/explanation/reader.md.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime's own
