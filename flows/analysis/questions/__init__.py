"""Questions as people ask them: phrases that name parts of a request, in any order."""
