"""What happens when: the loop, and what runs beside it."""
