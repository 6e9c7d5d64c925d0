"""What the extraction methods of the papers share: the source by characters and tokens, text runs, and their edits.

Each method is a plugin; its sums stand here, so that they can be tried on the papers' own small examples.
"""
