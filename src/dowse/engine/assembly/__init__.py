"""What a crawl is made of: the only place that names concrete classes."""
