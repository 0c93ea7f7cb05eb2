"""What holds for every node, model and job."""
