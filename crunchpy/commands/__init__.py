"""The commands about one page or the administrator's files; `crunchpy.cli` mounts them."""
