"""The kinds of studies, one module a family, each with its entries for `catalog`."""
