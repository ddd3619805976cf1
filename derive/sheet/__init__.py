"""The cheat-sheet: what it shows, from the catalog, the claims, the presets and the devices."""
