"""The class that the two files of reversed numbers are about."""

from typing import Any

from aiflows.base_flows import AtomicFlow


class ReverseDigitsFlow(AtomicFlow):
    def run(self, input_data: dict[str, Any]) -> dict[str, Any]:
        return {"output_number": int(str(input_data["number"])[::-1])}
