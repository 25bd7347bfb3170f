"""Steps of a run that are done in other processes: children of this one, or nodes of a cluster."""
