"""What studies compute, written for pandas, one module a family.

Nothing here is called by this package: `study.library` hands the text of the functions that a study
needs to the sandbox, where the data is. So a recipe uses other recipes by name, and imports what
is more than matplotlib, numpy and pandas itself. Each returns the table that an answer is made of.
"""
