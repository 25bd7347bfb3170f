"""The pipeline of phases: from a task of prediction with its tables to a submission."""
