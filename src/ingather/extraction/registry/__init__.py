"""Records of trial registries read, and held beside what reports of the same trial say."""
