"""A language model in a file, run by llama.cpp in a child process of this one."""
