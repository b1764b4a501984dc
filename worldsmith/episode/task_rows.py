"""The rows of an export's file of JSON lines, read one at a time."""

import json
from array import array
from pathlib import Path
from typing import Any


class TaskRows:
    """The rows of a file by their place in it; where each begins is all that is held in memory."""

    def __init__(self, path: Path) -> None:
        """Read the file once. Raises OSError."""
        self.path = path
        self._starts = array("Q")
        start = 0
        with path.open("rb") as lines:
            for line in lines:
                self._starts.append(start)
                start += len(line)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._starts)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return a row. Raises IndexError."""
        with self.path.open("rb") as file:
            file.seek(self._starts[index])
            row: dict[str, Any] = json.loads(file.readline())
        return row
