"""A conversation about data: clarify what is asked, answer it, and follow up."""
