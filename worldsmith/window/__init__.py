"""The window: worlds, pages, tasks and saved episodes in a browser, for whoever owns them. It shows gold.

A process of its own, on a listener of its own: the one that serves agents holds no gold. That process imports
`launch` alone.
"""
