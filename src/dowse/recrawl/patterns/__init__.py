"""URL patterns: learned from a site's URLs in the paper's form or a robust one, matched, kept in a file."""
