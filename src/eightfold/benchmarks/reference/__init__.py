"""Plain implementations of what the kernels do: slow, short and written to be read.

The benchmarks measure against them and the tests check against them. They share no code with the kernels.
"""
