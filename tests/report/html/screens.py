"""The screens on which the report is shown."""

from __future__ import annotations

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
