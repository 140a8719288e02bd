"""Programs for developers of geoforest: they are not part of the wheel."""
