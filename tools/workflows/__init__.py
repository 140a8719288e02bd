"""Reading and running the workflows of ``.github`` and composite actions on this machine."""
