"""From a config to a verdict: experiment, plan, engine, claims, report."""
