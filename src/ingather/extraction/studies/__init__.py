"""Studies of a review: which reports tell of the same one, decided by people, with suggestions and their reasons."""
