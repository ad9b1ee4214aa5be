"""The learned judge: a page's chance to be on the topic, from its words and its site (METHODS, section 7).

What is known of a topic is a sentence, or a few pages that are on it; what a crawl brings is pages of which nobody has
said whether they are. So the judge learns from positives against what was fetched as a whole, most of which is off the
topic (positive-and-unlabelled learning), and does so again as pages come in.
"""
