"""The SDK is imported before any deadline runs."""

from __future__ import annotations

import openai

assert openai.AsyncOpenAI
