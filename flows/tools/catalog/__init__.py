"""The index of functions: kept on the disk, searched by words and by meaning."""
