"""Site in, genre and settings name out."""
