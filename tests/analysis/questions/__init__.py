"""Questions as people ask them, over tables whose names and values nobody has seen."""
