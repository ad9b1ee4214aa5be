"""What becomes of an answer: from a response to a judged page in the records."""
