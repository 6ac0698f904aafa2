"""Whether JSON that kymo prints is what docs/schema says.

Items of a list that look alike (the same keys, types and enumerated words) are validated once: a report has thousands, and the schema says
nothing of values beyond these.
"""

import json
import pathlib

try:
    import jsonschema
except ImportError:  # the Debian package python3-jsonschema
    jsonschema = None

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema" / "kymo-json-2.schema.json"
SCHEMA = json.loads(FILE.read_text())
SHOWN = 5


def enumerated(schema):
    """All words that an enumeration of the schema has."""
    if isinstance(schema, dict):
        return {word for word in schema.get("enum", []) if isinstance(word, str)}.union(*map(enumerated, schema.values()))
    return set().union(*map(enumerated, schema)) if isinstance(schema, list) else set()


WORDS = enumerated(SCHEMA)


def looks(value):
    """What the schema may say of a value, to be compared."""
    if isinstance(value, dict):
        return tuple((key, looks(item)) for key, item in value.items())
    if isinstance(value, list):
        return (len(value), *dict.fromkeys(map(looks, value)))
    return value if isinstance(value, str) and value in WORDS else type(value)


def of_each_look(value):
    """The same, lists with one item of each look."""
    if isinstance(value, dict):
        return {key: of_each_look(item) for key, item in value.items()}
    if isinstance(value, list) and len(value) > 2:  # pairs stay pairs
        return list({looks(item): of_each_look(item) for item in value}.values())
    return [of_each_look(item) for item in value] if isinstance(value, list) else value


def mistakes(told, kind):
    """Where an object is not of this kind (a name in the schema's $defs), in words; nothing where jsonschema is not installed."""
    if jsonschema is None:
        return []
    validator = jsonschema.Draft202012Validator({**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]})
    found = []
    for error in validator.iter_errors(of_each_look(told)):
        error = jsonschema.exceptions.best_match([error])
        found.append(f"{kind}.{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    return found[:SHOWN]
