"""Short forms of JSON Schema, for what routes take and give."""

from collections.abc import Mapping
from typing import Any

JSON = Mapping[str, Any]

TEXT: JSON = {"type": "string"}
NUMBER: JSON = {"type": "number"}
BOOL: JSON = {"type": "boolean"}
NULL: JSON = {"type": "null"}
NULL_TEXT: JSON = {"type": ["string", "null"]}


def list_of(items: JSON) -> JSON:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def one_of(*schemas: JSON) -> JSON:
    """Return the schema of a value that fits one of several."""
    return {"oneOf": list(schemas)}


def any_of(*schemas: JSON) -> JSON:
    """Return the schema of a value that fits one of several, or more of them."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def lenient(schema: JSON) -> JSON:
    """Return the schema of a value that counts where it fits `schema`, and is allowed otherwise too."""
    return any_of(schema, {"description": "Any other value is as if it were absent."})


def object_of(properties: Mapping[str, JSON], *, optional: tuple[str, ...] = (), example: Any = None) -> JSON:
    """Return the schema of an object whose properties are required unless named in `optional`."""
    required = [name for name in properties if name not in optional]
    schema = {"type": "object", "properties": dict(properties), "required": required}
    return schema if example is None else {**schema, "example": example}
