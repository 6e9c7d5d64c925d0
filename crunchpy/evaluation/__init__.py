"""The measuring framework: how much of a page's main content a method keeps, and how much else.

Built after Gottron, "Evaluating content extraction on HTML documents" (2007): test packages, a run through the proxy
as it is served to people, four measures, one table a run. `docs/evaluation.md` explains it to a reader.

Nothing outside this folder imports from it but the commands.
"""
