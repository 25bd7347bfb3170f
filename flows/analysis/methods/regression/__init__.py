"""Linear and logistic regressions."""
