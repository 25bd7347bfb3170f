"""The rules by which the steps of a phase are planned without a language model."""
