"""Methods of analysis: the packages are the methods, the modules are what they share.

A package has `arguments` (what the method is given), `cue` (what in language asks for it),
`recipes` (what the sandbox runs) and `method` (its entry for the table in `catalog`).
"""
