"""What all rooms share: errors, files, identity and seeds. No science."""
