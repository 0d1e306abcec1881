"""Questions, corpora and gold: what is asked of what, checked to the byte before it is used."""
