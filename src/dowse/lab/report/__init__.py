"""HTML pages, each in one file without a script: the report of a crawl, and that of a comparison."""
