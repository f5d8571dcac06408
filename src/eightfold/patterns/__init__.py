"""Pattern libraries (Wei et al.): shapes round a move, learned from game records, symmetric ones counted together."""
