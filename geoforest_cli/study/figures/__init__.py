"""Drawing rows: curves, boxes, heat maps."""
