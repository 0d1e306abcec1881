"""Door: data sets, arms, metrics, statistics and reports of the evaluation protocol."""
