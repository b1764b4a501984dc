"""The folder that `worldsmith exec` puts on the path of its command: what Python and Node load there at their start.

Nothing else belongs here: every module of the folder hides one of that name from the command.
"""
