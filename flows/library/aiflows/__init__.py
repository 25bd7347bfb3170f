"""The flows of aiflows 0.1.7 and of its FlowVerse, under their names, keys and defaults."""
