"""From rows to figures, tables, claims and one page."""
