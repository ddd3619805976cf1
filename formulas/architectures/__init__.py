"""Layers and models as their papers draw them; a preset names one of these and its sizes."""
