"""What papers, tools and measurements state, one file a source, each statement a claim."""
