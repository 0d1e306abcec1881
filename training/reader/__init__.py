"""The reader that is shipped: how it is trained, exported, calibrated and measured (`python -m training.reader`).

Not in the wheel. What each step does and needs stands in docs/how-to/train-the-reader.md.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime's own
