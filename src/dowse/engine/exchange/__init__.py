"""What is asked of the web, and how: one exchange for everything."""
