"""What a crawl is made of: the only place that chooses between implementations."""
