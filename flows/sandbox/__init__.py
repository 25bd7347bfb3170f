"""Running untrusted Python and other untrusted work in child processes behind walls."""
